#include "lessons/05_scaling/unscaled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "autograd/cross_entropy.h"
#include "lessons/course/engine/memo.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_05 {
namespace {

constexpr double kTarget = 0.7;   // nats
constexpr double kLearned = 0.1;  // nats
constexpr std::size_t kStart = 10;

// A model and its streams: pages to learn from, and the same test pages for every recipe.
struct Bench {
  tasks::DictionaryModel model;
  Generator pages;
  tasks::DictionaryBatch test;
};

Bench bench(const course::Step& step, const Recipe& recipe, bool scaled, std::int64_t seed) {
  tasks::DictionaryModel::Options options{.layer_norm = true};
  options.attention.head_dim = recipe.d_k;
  if (!scaled) options.attention.scale = 1;
  Generator tests = step.generator(fmt::format("test pages {}", seed));
  return {{nn::Seed(step.seed()) / fmt::format("scaling/model {}", seed), options},
          step.generator(fmt::format("pages {}", seed)),
          draw_dictionary(256, options.sizes, tests)};
}

struct Evaluation {
  double loss;
  double max_weight;
};

Evaluation evaluate(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& test) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  const Variable logits = model(test, &trace);
  const Tensor question = select(squeeze(trace.weights.value(), 1), 1, -1);  // [B, E + 1]
  return {cross_entropy(logits, test.answer).value().item(), mean(max(question, -1)).item()};
}

Run make_run(const course::Step& step, const Recipe& recipe, bool scaled, std::int64_t seed,
             const std::function<void(int)>& told) {
  Bench on = bench(step, recipe, scaled, seed);
  Run run;
  run.max_weight_first = evaluate(on.model, on.test).max_weight;
  run.losses = train_dictionary(on.model, on.model.parameters(),
                                {.steps = recipe.updates,
                                 .lr = recipe.lr,
                                 .optimizer = recipe.optimizer,
                                 .until = kLearned,
                                 .progress = told},
                                on.pages);
  run.max_weight_last = evaluate(on.model, on.test).max_weight;
  run.reached = tasks::steps_below(run.losses, kTarget);
  for (std::size_t i = 0; i < run.losses.size(); ++i) {
    run.finite = run.finite && std::isfinite(run.losses[i]);
    if (i >= kStart) run.highest = std::max(run.highest, run.losses[i] / run.losses[0]);
  }
  return run;
}

}  // namespace

std::string Recipe::name() const {
  return fmt::format("{} {}, d_k {}", optimizer == tasks::Optimizer::kAdam ? "Adam" : "SGD", lr,
                     d_k);
}

const Run& dictionary_run(const course::Step& step, const Recipe& recipe, bool scaled,
                          std::int64_t seed, const std::function<void(int)>& told) {
  static course::Memo<std::tuple<std::uint64_t, std::int64_t, Recipe, bool>, Run> memo;
  return memo({step.seed(), seed, recipe, scaled},
              [&] { return make_run(step, recipe, scaled, seed, told); });
}

Removal remove_scale(const course::Step& step, const Recipe& recipe, std::int64_t seed) {
  Bench with = bench(step, recipe, /*scaled=*/true, seed);
  Bench without = bench(step, recipe, /*scaled=*/false, seed);
  train_dictionary(with.model, with.model.parameters(),
                   {.steps = recipe.updates, .lr = recipe.lr, .until = kTarget}, with.pages);
  without.model.load_state_dict(with.model.state_dict());
  const Evaluation before = evaluate(with.model, with.test);
  const Evaluation after = evaluate(without.model, with.test);
  const std::vector<double> losses = train_dictionary(without.model, without.model.parameters(),
                                                      {.steps = 200, .lr = recipe.lr}, with.pages);
  const Evaluation last = evaluate(without.model, with.test);
  return {.loss_before = before.loss,
          .loss_after = after.loss,
          .max_weight_before = before.max_weight,
          .max_weight_after = after.max_weight,
          .highest = *std::max_element(losses.begin(), losses.end()),
          .loss_last = last.loss,
          .max_weight_last = last.max_weight};
}

}  // namespace gradwalk::lesson_05
