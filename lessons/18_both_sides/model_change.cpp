#include "lessons/18_both_sides/model_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "lessons/18_both_sides/balance.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/module_weight.h"
#include "nn/diagnostics/cosine.h"
#include "nn/statistics/rank_correlation.h"
#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_18 {
namespace {

constexpr std::int64_t kTests = 1000;

std::uint64_t seed_of(const course::Step& step, std::int64_t model) {
  return 100 * step.seed() + static_cast<std::uint64_t>(model);
}

double moved(const tasks::ClsModel& before, const tasks::ClsModel& after, const char* weight) {
  const Tensor from = tasks::weight_of(before, weight), to = tasks::weight_of(after, weight);
  return norm(to - from).item() / norm(from).item();
}

double unbalanced(const tasks::ClsModel& before, const tasks::ClsModel& after) {
  const auto of = [](const tasks::ClsModel& model) {
    return tasks::head_weights(model, "attention", model.options().heads, 0);
  };
  const tasks::HeadWeights from = of(before), to = of(after);
  const Tensor query = square(to.query) - square(from.query);
  const Tensor key = square(to.key) - square(from.key);
  return norm(query - key).item() / norm(query).item();
}

double mean_size(const Tensor& x) {
  double sum = 0;
  for (const double value : x.to_vector()) sum += std::abs(value);
  return sum / static_cast<double>(x.numel());
}

double degrees(const Tensor& a, const Tensor& b) {
  return std::acos(std::clamp(nn::cosine(a, b).item(), -1.0, 1.0)) * 180 / std::numbers::pi;
}

// Distance of each row from the nearest other row.
std::vector<double> nearest_other(const Tensor& rows) {
  const std::int64_t count = rows.shape()[0];
  const Tensor apart = nn::length(unsqueeze(rows, 0) - unsqueeze(rows, 1));  // [N, N]
  std::vector<double> nearest(static_cast<std::size_t>(count),
                              std::numeric_limits<double>::infinity());
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < count; ++j) {
      double& best = nearest[static_cast<std::size_t>(i)];
      if (i != j) best = std::min(best, apart.at({i, j}));
    }
  }
  return nearest;
}

ModelChange measure(const tasks::NumberTraining& training, const tasks::TrainedNumberModel& trained,
                    std::uint64_t seed) {
  const tasks::NumberTask& task = training.task;
  const auto before = tasks::new_number_model(training, seed);
  const tasks::ClsModel& after = *trained.model;
  const tasks::NumberScore score =
      tasks::number_score(after, task, tasks::number_tests(task, seed, kTests));
  ModelChange found{.heads_before = {},
                    .heads = {},
                    .gaps = {},
                    .table_moved = moved(*before, after, "embedding.weight"),
                    .query_moved = moved(*before, after, "attention.q_proj.weight"),
                    .key_moved = moved(*before, after, "attention.k_proj.weight"),
                    .unbalanced = unbalanced(*before, after),
                    .turned = 0,
                    .salience_before = {},
                    .salience = {},
                    .right = score.accuracy,
                    .on_answer = score.on_answer[0],
                    .on_numbers = score.on_numbers[0],
                    .curves = &trained.curves};
  for (std::int64_t head = 0; head < after.options().heads; ++head) {
    found.heads_before.push_back(tasks::alignment(*before, task, head));
    found.heads.push_back(tasks::alignment(after, task, head));
  }
  const std::array heads = {tasks::cls_head(*before), tasks::cls_head(after)};
  found.salience_before = salience_of(tasks::number_rows(heads[0].keys, task));
  found.salience = salience_of(tasks::number_rows(heads[1].keys, task));
  found.turned = degrees(heads[0].query, heads[1].query);
  for (std::size_t query = 0; query < 2; ++query) {
    for (std::size_t keys = 0; keys < 2; ++keys) {
      found.gaps[query][keys] = alignment(heads[query].query, heads[keys].keys, task).gap();
    }
  }
  return found;
}

}  // namespace

KeySalience salience_of(const Tensor& keys) {
  std::vector<double> worth(static_cast<std::size_t>(keys.shape()[0]));
  std::iota(worth.begin(), worth.end(), 0.0);
  const Tensor centred = keys - mean(keys, {0}, /*keepdims=*/true);
  return {nn::spearman(nn::length(centred).to_vector(), worth),
          nn::spearman(nearest_other(keys), worth),
          nn::spearman(nn::length(keys).to_vector(), worth)};
}

Models model_changes(const course::Step& step, const tasks::NumberTraining& training,
                     std::int64_t models) {
  static course::Memo<std::pair<tasks::NumberTraining, std::uint64_t>, ModelChange> memo;
  Models all;
  for (std::int64_t model = 0; model < models; ++model) {
    const std::uint64_t seed = seed_of(step, model);
    all.push_back(&memo({training, seed}, [&] {
      return measure(training,
                     tasks::trained_number_model(
                         training, seed, step.training_progress(model, models, training.updates)),
                     seed);
    }));
  }
  return all;
}

std::array<tasks::ClsHead, 2> head_before_and_after(const course::Step& step,
                                                    const tasks::NumberTraining& training) {
  const std::uint64_t seed = seed_of(step, 0);
  return {tasks::cls_head(*tasks::new_number_model(training, seed)),
          tasks::cls_head(*tasks::trained_number_model(
                               training, seed, step.training_progress(0, 1, training.updates))
                               .model)};
}

std::vector<double> each(const Models& models, double (*of)(const ModelChange& model)) {
  std::vector<double> values;
  for (const ModelChange* model : models) values.push_back(of(*model));
  return values;
}

std::vector<tasks::Alignment> all_heads(const Models& models,
                                        std::vector<tasks::Alignment> ModelChange::*heads) {
  std::vector<tasks::Alignment> all;
  for (const ModelChange* model : models) {
    all.insert(all.end(), (model->*heads).begin(), (model->*heads).end());
  }
  return all;
}

double mean_of(const Models& models, double (*of)(const ModelChange& model)) {
  return nn::summarize(each(models, of)).mean;
}

double right(const ModelChange& model) { return model.right; }
double on_answer(const ModelChange& model) { return model.on_answer; }
double on_numbers(const ModelChange& model) { return model.on_numbers; }
double gap(const ModelChange& model) { return model.heads[0].gap(); }
double rho(const ModelChange& model) { return model.heads[0].rho; }
double effect(const ModelChange& model) { return model.heads[0].match.of_cosines.cohens_d; }

double numbers_on_line(const ModelChange& model) {
  return mean_size(tasks::number_rows(model.heads[0].match.cosines, {}));
}

double nouns_on_line(const ModelChange& model) {
  return mean_size(tasks::noun_rows(model.heads[0].match.cosines, {}));
}

}  // namespace gradwalk::lesson_18
