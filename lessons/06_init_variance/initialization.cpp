#include "lessons/06_init_variance/initialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/language_model.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/entropy.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_06 {
namespace {

constexpr double kTarget = 0.7;  // nats
constexpr double kDead = 0.003;  // nats
constexpr std::int64_t kTestPages = 256;
constexpr int kLanguageUpdates = 300;

tasks::DictionaryModel model_of(const course::Step& step, const Initialization& start,
                                std::int64_t model) {
  tasks::DictionaryModel::Options options{.query_key_gain = start.factor};
  if (start.divided) {
    options.attention.scale =
        1 / (std::sqrt(static_cast<double>(options.d_model)) * start.factor * start.factor);
  }
  return {nn::Seed(step.seed()) / fmt::format("init_variance/model {}.{}", model, start.draw),
          options};
}

// Of the last token, the question: [B, 1, E + 1, X] to [B, X].
Tensor of_question(const Tensor& map) { return select(squeeze(map, 1), 1, -1); }

// One backward pass with all that is looked at.
struct Pass {
  nn::AttentionTrace trace;
  Variable query_weight;
};

Pass pass_of(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& pages) {
  Pass pass;
  const Variable logits = model(pages, &pass.trace);
  pass.trace.scaled_scores.retain_grad();
  pass.trace.weights.retain_grad();
  backward(cross_entropy(logits, pages.answer));
  for (const auto& [name, weight] : model.named_parameters()) {
    if (name == "attention.q_proj.weight") pass.query_weight = weight;
  }
  return pass;
}

InitialMeasures beginning_of(const course::Step& step, const Initialization& start,
                             std::int64_t model) {
  const auto begun = model_of(step, start, model);
  Generator tests = step.generator(fmt::format("test pages {}", model));
  const Pass pass = pass_of(begun, draw_dictionary(kTestPages, begun.options().sizes, tests));
  const Tensor scores = of_question(pass.trace.scaled_scores.value());
  const Tensor weights = of_question(pass.trace.weights.value());
  // A page has one part in kTestPages in the mean loss.
  const Tensor pulls =
      nn::length(of_question(pass.trace.scaled_scores.grad())) * static_cast<double>(kTestPages);
  const double query_gradient = norm(pass.query_weight.grad()).item();
  return {.score_deviation = std::sqrt(var(scores).item()),
          .entropy = mean(nn::entropy(weights)).item() /
                     std::log(static_cast<double>(weights.shape()[-1])),
          .max_weight = mean(max(weights, -1)).item(),
          .score_gradient = mean(pulls).item(),
          .score_gradient_rms = std::sqrt(mean(pulls * pulls).item()),
          .dead = mean(to(less(pulls, kDead), DType::kFloat64)).item(),
          .query_gradient = query_gradient,
          .query_relative = query_gradient / norm(pass.query_weight.value()).item()};
}

TrainingResult learned_from(std::vector<double> losses, double target, int most) {
  const int reached = tasks::steps_below(losses, target);
  return {
      .losses = std::move(losses), .updates = reached == 0 ? most : reached, .never = reached == 0};
}

TrainingResult train_one(const course::Step& step, const Initialization& start,
                         const TrainingPlan& recipe, std::int64_t model, std::int64_t models) {
  const auto trained = model_of(step, start, model);
  Generator pages = step.generator(fmt::format("pages {}", model));
  Generator tests = step.generator(fmt::format("test pages {}", model));
  const bool adam = recipe.optimizer == tasks::Optimizer::kAdam;
  std::vector<double> losses =
      train_dictionary(trained, trained.parameters(),
                       {.steps = recipe.updates,
                        .lr = adam ? 3e-3 : 0.3,
                        .optimizer = recipe.optimizer,
                        .until = kTarget,
                        .progress = step.training_progress(model, models, recipe.updates)},
                       pages);
  TrainingResult result = learned_from(std::move(losses), kTarget, recipe.updates);
  result.accuracy = dictionary_accuracy(trained, kTestPages, tests);
  return result;
}

}  // namespace

InitialMeasures initial_measures(const course::Step& step, const Initialization& start,
                                 std::int64_t models) {
  InitialMeasures all{};
  for (std::int64_t model = 0; model < models; ++model) {
    const InitialMeasures one = beginning_of(step, start, model);
    for (const auto of : {&InitialMeasures::score_deviation, &InitialMeasures::entropy,
                          &InitialMeasures::max_weight, &InitialMeasures::score_gradient,
                          &InitialMeasures::score_gradient_rms, &InitialMeasures::dead,
                          &InitialMeasures::query_gradient, &InitialMeasures::query_relative}) {
      all.*of += one.*of / static_cast<double>(models);
    }
  }
  return all;
}

std::vector<const TrainingResult*> training_results(const course::Step& step,
                                                    const Initialization& start,
                                                    const TrainingPlan& recipe,
                                                    std::int64_t models) {
  static course::Memo<std::tuple<std::uint64_t, Initialization, TrainingPlan, std::int64_t>,
                      TrainingResult>
      memo;
  std::vector<const TrainingResult*> all;
  for (std::int64_t model = 0; model < models; ++model) {
    all.push_back(&memo({step.seed(), start, recipe, model},
                        [&] { return train_one(step, start, recipe, model, models); }));
  }
  return all;
}

std::vector<const TrainingResult*> language_training_results(const course::Step& step,
                                                             double factor, double target,
                                                             std::int64_t models) {
  static course::Memo<std::tuple<std::uint64_t, double, double>, TrainingResult> memo;
  const tasks::LanguageModelOptions options{
      .layers = 1, .query_key_gain = factor, .steps = kLanguageUpdates};
  const auto progress = [&step](std::int64_t done, std::int64_t total) {
    step.progress("train a language model", done, total);
  };
  std::vector<const TrainingResult*> all;
  for (std::int64_t model = 0; model < models; ++model) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(model);
    all.push_back(&memo({seed, factor, target}, [&] {
      return learned_from(tasks::trained_language_model(options, seed, progress).losses, target,
                          kLanguageUpdates);
    }));
  }
  return all;
}

std::string updates_text(const std::vector<const TrainingResult*>& models) {
  std::string text;
  for (const TrainingResult* model : models) {
    text += text.empty() ? "" : " ";
    text += model->never ? "never" : std::to_string(model->updates);
  }
  return text;
}

double median_updates(const std::vector<const TrainingResult*>& models) {
  std::vector<int> updates;
  for (const TrainingResult* model : models) updates.push_back(model->updates);
  std::sort(updates.begin(), updates.end());
  return updates[updates.size() / 2];
}

course::Spread times_as_many(const std::vector<const TrainingResult*>& models,
                             const std::vector<const TrainingResult*>& than) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < models.size(); ++i) {
    ratios.push_back(static_cast<double>(models[i]->updates) / than[i]->updates);
  }
  return course::spread_of(ratios);
}

PageAttention page_attention(const course::Step& step, const std::vector<Initialization>& starts) {
  std::vector<Tensor> query, keys, scores, weights, weight_gradient, score_gradient;
  Generator draw = step.generator("page");
  const tasks::DictionaryBatch page = tasks::draw_dictionary(1, {}, draw);
  for (const Initialization& start : starts) {
    const auto model = model_of(step, start, 0);
    const Pass pass = pass_of(model, page);
    query.push_back(of_question(pass.trace.query.value()));
    keys.push_back(squeeze(pass.trace.key.value(), 1));
    scores.push_back(of_question(pass.trace.scaled_scores.value()));
    weights.push_back(of_question(pass.trace.weights.value()));
    weight_gradient.push_back(of_question(pass.trace.weights.grad()));
    score_gradient.push_back(of_question(pass.trace.scaled_scores.grad()));
  }
  PageAttention attention{.query = concat(query, 0),
                          .keys = concat(keys, 0),
                          .scores = concat(scores, 0),
                          .weights = concat(weights, 0),
                          .weight_gradient = concat(weight_gradient, 0),
                          .score_gradient = concat(score_gradient, 0),
                          .cards = {}};
  for (std::int64_t card = 0; card < page.keys.shape()[1]; ++card) {
    attention.cards.push_back(
        fmt::format("{}={}{}", page.keys.at({0, card}), page.values.at({0, card}),
                    page.places.at({0}) == static_cast<double>(card) ? "*" : ""));
  }
  attention.cards.push_back("?");
  return attention;
}

}  // namespace gradwalk::lesson_06
