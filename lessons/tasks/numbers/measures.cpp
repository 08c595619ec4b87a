#include "lessons/tasks/numbers/measures.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "lessons/tasks/head_targets.h"
#include "nn/diagnostics/pca.h"
#include "nn/statistics/accuracy.h"
#include "nn/statistics/rank_correlation.h"
#include "nn/statistics/summary.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

Tensor rows_mask(std::int64_t rows, std::int64_t first, std::int64_t end) {
  std::vector<double> mask(static_cast<std::size_t>(rows), 0);
  for (std::int64_t row = first; row < end; ++row) mask[static_cast<std::size_t>(row)] = 1;
  return from_vector(mask, {rows}, DType::kBool);
}

// Of [B, H, 1, S], one number a head.
std::vector<double> mean_weight(const Tensor& weights, const Tensor& mask) {
  const Tensor counted = to(mask, DType::kFloat64);  // [B, S]
  const Tensor all = unsqueeze(unsqueeze(counted, 1), 1) * to(weights, DType::kFloat64);
  return (sum(all, {0, 2, 3}) / sum(counted).item()).to_vector();
}

std::vector<double> ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return ratios;
}

}  // namespace

ClsHead cls_head(const ClsModel& model, std::int64_t head) {
  if (head < 0 || head >= model.options().heads) {
    throw std::out_of_range(
        fmt::format("cls_head: expected a head in [0, {}), got {}", model.options().heads, head));
  }
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model.summary(whole_vocabulary(model), {.trace = &trace});
  const auto of_head = [&](const Variable& x) { return select(select(x.value(), 0, 0), 0, head); };
  return {select(of_head(trace.query), 0, 0), of_head(trace.key), of_head(trace.value)};
}

Tensor number_rows(const Tensor& table, const NumberTask& task) {
  return slice(table, 0, 1, 1 + task.numbers);
}

Tensor noun_rows(const Tensor& table, const NumberTask& task) {
  return slice(table, 0, 1 + task.numbers, task.vocabulary());
}

Tensor number_mask(const NumberTask& task) {
  return rows_mask(task.vocabulary(), 1, 1 + task.numbers);
}

Tensor noun_mask(const NumberTask& task) {
  return rows_mask(task.vocabulary(), 1 + task.numbers, task.vocabulary());
}

Alignment alignment(const Tensor& query, const Tensor& keys, const NumberTask& task) {
  Alignment a{nn::qk_match(query, keys, number_mask(task), noun_mask(task)), 0, 0, 0};
  const std::vector<double> numbers = number_rows(a.match.logits, task).to_vector();
  std::vector<double> places(static_cast<std::size_t>(task.nouns));
  std::iota(places.begin(), places.end(), 0.0);
  a.rho = nn::spearman(numbers, task.ranks());
  a.noun_rho = nn::spearman(noun_rows(a.match.logits, task).to_vector(), places);
  a.spread = nn::summarize(numbers).standard_deviation;
  return a;
}

Alignment alignment(const ClsModel& model, const NumberTask& task, std::int64_t head) {
  const ClsHead seen = cls_head(model, head);
  return alignment(seen.query, seen.keys, task);
}

PointAxis point_axis(const Tensor& points, const std::vector<double>& ranks) {
  const nn::Pca axes = nn::pca(points);
  return {axes.variance_ratio.at({0}),
          std::abs(nn::spearman(select(axes.projections, 1, 0).to_vector(), ranks))};
}

NumberScore number_score(const ClsModel& model, const NumberTask& task, const NumberBatch& texts,
                         const ClsContext& tables) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  ClsContext context = tables;
  context.trace = &trace;
  const Variable summary = model.summary(texts.ids, context);
  const auto weight = [&](const Tensor& mask) {
    return weight_on(trace.weights.value(), unsqueeze(mask, 1));
  };
  // bool [B, S], by the kind of token
  const Tensor numbers = index_select(number_mask(task), 0, texts.ids);
  const Tensor nouns = index_select(noun_mask(task), 0, texts.ids);
  const Tensor& weights = trace.weights.value();
  NumberScore score{nn::accuracy(model.logits(summary).value(), texts.answer),
                    weight(texts.holds),
                    weight(numbers),
                    ratio_of(mean_weight(weights, numbers), mean_weight(weights, nouns)),
                    std::numeric_limits<double>::quiet_NaN(),
                    {}};
  score.on_noun.assign(score.on_answer.size(), score.noun_accuracy);
  if (texts.noun_answer.defined()) {
    score.noun_accuracy = nn::accuracy(model.noun_logits(summary).value(), texts.noun_answer);
    score.on_noun = weight(texts.noun_holds);
  }
  return score;
}

NumberBatch number_tests(const NumberTask& task, std::uint64_t seed, std::int64_t texts) {
  Generator generator(seed, "numbers.test");
  return draw_numbers(texts, task, generator);
}

}  // namespace gradwalk::tasks
