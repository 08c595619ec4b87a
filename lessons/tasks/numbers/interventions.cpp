#include "lessons/tasks/numbers/interventions.h"

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/measures.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/divergence.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

// [B, S]
Tensor weights_of(const ClsModel& model, const NumberBatch& texts, const Tensor& key_table,
                  std::int64_t head) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model.summary(texts.ids, {.trace = &trace, .key_table = key_table});
  return select(select(trace.weights.value(), 1, head), 1, 0);
}

}  // namespace

PerturbationEffect perturb_number_keys(const ClsModel& model, const NumberBatch& texts,
                                       const NumberTask& task, const Tensor& step,
                                       std::int64_t head) {
  if (step.shape() != Shape{model.options().d_model}) {
    throw_shape_error("perturb_number_keys", fmt::format("step [{}]", model.options().d_model),
                      step.shape().str(), {{"step", step.shape()}});
  }
  const Tensor& table = model.embeddings();
  const Tensor pushed = with_number_rows(model, task, number_rows(table, task) + step);
  const Tensor moved = nn::total_variation(weights_of(model, texts, pushed, head),
                                           weights_of(model, texts, table, head));
  return {mean(to(moved, DType::kFloat64)).item(),
          number_score(model, task, texts, {.key_table = pushed}).accuracy};
}

double number_length(const ClsModel& model, const NumberTask& task) {
  return mean(to(nn::length(number_rows(model.embeddings(), task)), DType::kFloat64)).item();
}

Tensor with_number_rows(const ClsModel& model, const NumberTask& task, const Tensor& rows) {
  Tensor table = clone(model.embeddings());
  copy_into(number_rows(table, task), rows);
  return table;
}

std::unique_ptr<ClsModel> copy_of(const ClsModel& model) {
  auto copy = std::make_unique<ClsModel>(model.options(), nn::Seed(0));
  copy->load_state_dict(model.state_dict());
  return copy;
}

void make_uniform(const ClsModel& model, std::int64_t head) {
  fill(head_weights(model, "attention", model.options().heads, head).query, 0);
}

std::vector<double> head_influence(const ClsModel& model, const NumberTask& task,
                                   const NumberBatch& texts) {
  const double whole = number_score(model, task, texts).accuracy;
  std::vector<double> influence;
  for (std::int64_t head = 0; head < model.options().heads; ++head) {
    const auto without = copy_of(model);
    make_uniform(*without, head);
    influence.push_back(whole - number_score(*without, task, texts).accuracy);
  }
  return influence;
}

Tensor query_gradient(const ClsModel& model, const NumberBatch& texts, std::int64_t head) {
  nn::AttentionTrace trace;
  const Variable loss =
      cross_entropy(model.logits(model.summary(texts.ids, {.trace = &trace})), texts.answer);
  trace.query.retain_grad();
  model.zero_grad();
  backward(loss);
  model.zero_grad();
  return select(sum(trace.query.grad(), {0, 2}), 0, head);  // of [B, H, 1, Dh]
}

}  // namespace gradwalk::tasks
