#include "lessons/22_values_and_collapse/values.h"

#include <cstddef>

#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/inplace.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_22 {

ValueTables value_tables(const tasks::ClsModel& model, const tasks::NumberTask& task,
                         Changed changed) {
  constexpr std::int64_t kTurn = 5;
  const Tensor& table = model.embeddings();
  const bool nouns = changed == Changed::kNouns;
  const std::int64_t first = nouns ? 1 + task.numbers : 1;
  const std::int64_t last = nouns ? task.vocabulary() : 1 + task.numbers;
  const Tensor rows = slice(table, 0, first, last);
  const auto with = [&](const Tensor& own) {
    Tensor other = clone(table);
    copy_into(slice(other, 0, first, last), own);
    return other;
  };
  return {with(expand(mean(rows, {0}, /*keepdims=*/true), rows.shape())),
          with(concat({slice(rows, 0, kTurn, last - first), slice(rows, 0, 0, kTurn)}, 0)),
          with(zeros(rows.shape()))};
}

ValueScores value_scores(const tasks::ClsModel& model, const tasks::NumberTask& task,
                         const tasks::NumberBatch& texts, Changed changed) {
  const ValueTables tables = value_tables(model, task, changed);
  const auto even = tasks::copy_of(model);
  tasks::make_uniform(*even, 0);
  const auto score = [&](const tasks::ClsModel& of, const Tensor& values) {
    return tasks::number_score(of, task, texts, {.value_table = values});
  };
  const tasks::NumberScore alike = score(model, tables.alike);
  return {.trained = score(model, {}).accuracy,
          .alike = alike.accuracy,
          .shuffled = score(model, tables.shuffled).accuracy,
          .none = score(model, tables.none).accuracy,
          .even = score(*even, {}).accuracy,
          .even_alike = score(*even, tables.alike).accuracy,
          .on_answer_alike = alike.on_answer[0]};
}

course::Spread over(const std::vector<ValueScores>& models, double ValueScores::*what) {
  std::vector<double> values;
  for (const ValueScores& model : models) values.push_back(model.*what);
  return course::spread_of(values);
}

std::vector<double> weight_by_answer(const tasks::ClsModel& model, const tasks::NumberTask& task,
                                     const tasks::NumberBatch& texts) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model.summary(texts.ids, {.trace = &trace});
  const Tensor weights = select(select(trace.weights.value(), 1, 0), 1, 0);     // [B, S]
  const Tensor numbers = index_select(tasks::number_mask(task), 0, texts.ids);  // bool [B, S]
  const std::vector<double> on_numbers =
      sum(weights * to(numbers, weights.dtype()), {1}).to_vector();
  const std::vector<double> answers = texts.answer.to_vector();
  std::vector<double> means(static_cast<std::size_t>(task.classes())), counts(means.size());
  for (std::size_t text = 0; text < answers.size(); ++text) {
    const auto answer = static_cast<std::size_t>(answers[text]);
    means[answer] += on_numbers[text];
    ++counts[answer];
  }
  for (std::size_t answer = 0; answer < means.size(); ++answer) means[answer] /= counts[answer];
  return means;
}

}  // namespace gradwalk::lesson_22
