#include "lessons/16_direction_probe/one_head.h"

#include <cmath>

#include "lessons/tasks/basis.h"
#include "lessons/tasks/head_weights.h"
#include "nn/diagnostics/cosine.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/moments.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_16 {

tasks::NumberTraining training_for(course::Step& step, Asked asked) {
  tasks::NumberTraining training;
  training.updates = static_cast<int>(step.whole("updates"));
  if (asked == Asked::kNouns) training.task.question = tasks::NumberQuestion::kNounMax;
  return training;
}

std::unique_ptr<tasks::ClsModel> model_for(course::Step& step, Asked asked, std::int64_t model) {
  const tasks::NumberTraining training = training_for(step, asked);
  const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(model);
  if (asked == Asked::kNothing) return tasks::new_number_model(training, seed);
  return tasks::trained_number_model(
             training, seed, step.training_progress(model, step.whole("seeds"), training.updates))
      .model;
}

Tensor OneHead::query() const { return matmul(query_weight, select(embeddings, 0, 0)); }

Tensor OneHead::keys() const { return linear(embeddings, key_weight); }

OneHead head_of(const tasks::ClsModel& model) {
  const tasks::HeadWeights head = tasks::head_weights(model, "attention", /*heads=*/1, 0);
  const auto exact = [](const Tensor& x) { return to(x, DType::kFloat64); };
  return {exact(model.embeddings()), exact(head.query), exact(head.key)};
}

OneHead in_basis(const OneHead& head, const Tensor& r) {
  const tasks::QueryKey other = tasks::in_basis({head.query_weight, head.key_weight}, r);
  return {head.embeddings, other.query, other.key};
}

Tensor random_basis(const course::Step& step, const std::string& name, bool rotation) {
  Generator generator = step.generator("basis " + name);
  const Tensor r = normal({kHeadDim, kHeadDim}, generator, DType::kFloat64);
  if (!rotation) return r;
  const Svd parts = svd(r);
  return matmul(parts.u, parts.vt);
}

Tensor own_scores(const tasks::ClsModel& model) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model.summary(tasks::whole_vocabulary(model), {.trace = &trace});
  return reshape(trace.scaled_scores.value(), {model.options().vocabulary});
}

Reading reading_of(const Tensor& query, const Tensor& keys) {
  const Tensor scores = matmul(keys, query) / std::sqrt(static_cast<double>(query.shape()[0]));
  return {nn::length(keys), nn::cosine(keys, query), scores, softmax(scores, -1)};
}

Tensor of_one_length(const Tensor& keys) {
  const Tensor lengths = nn::length(keys);
  return keys * unsqueeze(mean(lengths) / lengths, 1);
}

double same_order(const Tensor& a, const Tensor& b) {
  const auto tokens = [](const Tensor& x) { return slice(x, 0, 1, x.shape()[0]).to_vector(); };
  return nn::spearman(tokens(a), tokens(b));
}

Tensor rows_as_keys(const OneHead& head) { return linear(head.query_weight, head.key_weight); }

Tensor one_hot_weight(const OneHead& head) { return linear(head.embeddings, head.query_weight); }

MatrixSimilarity matrix_similarity(const Tensor& a, const Tensor& b) {
  return {sum(a * b).item(), norm(a).item() * norm(b).item()};
}

}  // namespace gradwalk::lesson_16
