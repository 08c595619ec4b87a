#include "lessons/17_alignment/records.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/variable.h"
#include "lessons/17_alignment/models.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_17 {

using course::Explain;
using course::Index;
using course::Operands;

namespace {

Explain cosine_recipe() {
  return Explain::custom([](const Index& at, const Operands& of) {
    double dot = 0, query = 0, key = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
      const double q = of("Q", {at[0], i}), k = of("K", {at[0], at[1], i});
      dot += q * k;
      query += q * q;
      key += k * k;
    }
    course::Explanation e;
    e.value = dot / std::sqrt(query * key);
    e.magnitude = 1;
    e.formula = fmt::format("q.k / (|q| |k|) with q = Q[{}], k = K[{},{}]", at[0], at[0], at[1]);
    e.lines = {fmt::format("q.k = {:.4f}, |q| = {:.4f}, |k| = {:.4f}", dot, std::sqrt(query),
                           std::sqrt(key))};
    return e;
  });
}

}  // namespace

std::vector<std::string> token_names(const Tensor& ids, const tasks::NumberTask& task) {
  std::vector<std::string> names;
  for (const double value : ids.to_vector()) {
    const auto id = static_cast<std::int64_t>(value);
    names.push_back(id == 0              ? "[CLS]"
                    : id <= task.numbers ? fmt::format("{}", id - 1)
                                         : fmt::format("n{}", id - 1 - task.numbers));
  }
  return names;
}

tasks::NumberBatch one_text(const course::Step& step, const tasks::NumberTask& task) {
  Generator texts = step.generator("one text");
  return tasks::draw_numbers(1, task, texts);
}

void record_text(course::Step& step, const tasks::ClsModel& model, const tasks::NumberTask& task) {
  const tasks::NumberBatch text = one_text(step, task);
  const std::vector<std::string> tokens = token_names(text.ids, task);
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model.summary(text.ids, {.trace = &trace});
  const auto of_head = [](const Variable& x) { return select(select(x.value(), 0, 0), 0, 0); };
  step.tensor("q", select(of_head(trace.query), 0, 0))
      .axes("component")
      .explain(Explain::given("W_Q e_CLS, the same in every text"));
  const auto table = [&](const char* name, const Variable& rows, const char* what) {
    step.tensor(name, of_head(rows))
        .axes("token", "component")
        .rows(tokens)
        .explain(Explain::given(what));
  };
  table("K", trace.key, "W_K e of each token");
  table("V", trace.value, "W_V e of each token");
  step.tensor("z", select(of_head(trace.scaled_scores), 0, 0))
      .axes("token")
      .columns(tokens)
      .explain(Explain::contraction("c,tc->t", {"q", "K"}, 1 / std::sqrt(8.0)));
  step.tensor("w", select(of_head(trace.weights), 0, 0))
      .axes("token")
      .columns(tokens)
      .explain(Explain::softmax("z"));
  step.tensor("o", select(of_head(trace.head_outputs), 0, 0))
      .axes("component")
      .explain(Explain::contraction("t,tc->c", {"w", "V"}));
  step.picture(course::Heatmap("one text: a figure is a number, n a noun", {"z", "w"}));
}

void record_keys(course::Step& step, tasks::NumberTraining training,
                 const std::vector<std::int64_t>& updates) {
  std::vector<Tensor> queries, keys, cosines;
  std::vector<std::string> names;
  const tasks::NumberTask& task = training.task;
  for (const std::int64_t after : updates) {
    training.updates = static_cast<int>(after);
    const auto trained = model_of(step, training);
    const tasks::ClsHead head = tasks::cls_head(*trained.model);
    const tasks::Alignment found = tasks::alignment(head.query, head.keys, task);
    queries.push_back(unsqueeze(head.query, 0));
    keys.push_back(unsqueeze(slice(head.keys, 0, 1, task.vocabulary()), 0));
    cosines.push_back(unsqueeze(slice(found.match.cosines, 0, 1, task.vocabulary()), 0));
    names.push_back(fmt::format("{}", after));
    tasks::draw_keys(step, fmt::format("keys after {} updates, model 0", after), head.keys, task);
  }
  const std::vector<std::string> tokens = token_names(arange(1, task.vocabulary()), task);
  step.tensor("Q", concat(queries, 0))
      .axes("updates", "component")
      .rows(names)
      .explain(Explain::given("W_Q e_CLS of model 0"));
  step.tensor("K", concat(keys, 0))
      .axes("updates", "token", "component")
      .rows(names)
      .explain(Explain::given("W_K e_t of model 0"));
  step.tensor("C", concat(cosines, 0))
      .axes("updates", "token")
      .rows(names)
      .columns(tokens)
      .explain(cosine_recipe());
  const auto part = [&](std::size_t at, std::int64_t first, std::int64_t end) {
    return slice(select(cosines[at], 0, 0), 0, first, end).to_vector();
  };
  step.picture(course::Curves("cos(q, k) of each token, model 0",
                              "worth of the number, place of the noun"))
      .series("numbers before", part(0, 0, task.numbers))
      .series("numbers after", part(updates.size() - 1, 0, task.numbers))
      .series("nouns after", part(updates.size() - 1, task.numbers, task.vocabulary() - 1));
}

}  // namespace gradwalk::lesson_17
