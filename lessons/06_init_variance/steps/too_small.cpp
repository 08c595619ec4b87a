#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "lessons/06_init_variance/initialization.h"
#include "lessons/06_init_variance/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/training.h"

namespace gradwalk::lesson_06 {
namespace {

using course::Evidence;
using course::Step;

constexpr double kSlowerBySgd = 1.8;

constexpr double kLanguageTarget = 1.5;  // nats a word

}  // namespace

void too_small(Step& step) {
  const std::int64_t models = step.whole("models"), languages = step.whole("languages");
  const auto updates = static_cast<int>(step.whole("updates"));
  const TrainingPlan adam{.updates = updates};
  const TrainingPlan sgd{
      .optimizer = step.broken("adam-too") ? tasks::Optimizer::kAdam : tasks::Optimizer::kSgd,
      .updates = updates / 2};
  step.formula("G -> 0: all s -> 0, all w -> 1/9: the mean of all, mean pooling");
  step.formula("dL/dW_Q = sum_j dL/ds_j k_j x^T / sqrt(32)      k_j = W_K x_j");
  step.formula("dL/dW_K has W_Q in it: near 0, a saddle, each grows by the other");
  step.formula("SGD:  W -= lr g      g = dL/dW      t updates: exp(r t) = 1/G");
  step.formula("Adam: W -= lr m / sqrt(v)      m, v: recent means of g and g^2");
  std::vector<double> factors = {0.01, 0.1, 1};
  if (!step.quick()) factors.insert(factors.begin(), 0.001);
  const auto of = [&](double factor, const TrainingPlan& recipe) {
    return training_results(step, {.factor = factor}, recipe, models);
  };
  auto begins = step.table("before training", {"H / ln 9", "max w", "|dL/ds|", "|dL/dW_Q|"});
  for (const double factor : {0.01, 0.1, 1.0}) {
    const InitialMeasures b = initial_measures(step, {.factor = factor}, models);
    begins.digits(4).row(fmt::format("G {}", factor),
                         {b.entropy, b.max_weight, b.score_gradient, b.query_gradient});
  }
  auto table = step.table(fmt::format("updates to 0.7 nats, median of the models: {}", models),
                          {"SGD", "Adam"});
  for (const double factor : factors) {
    const auto slow = of(factor, sgd), fast = of(factor, adam);
    table.digits(0).row(fmt::format("G {}", factor), {median_updates(slow), median_updates(fast)},
                        fmt::format("models: {} and {}", updates_text(slow), updates_text(fast)));
  }
  const auto small = language_training_results(step, 0.01, kLanguageTarget, languages);
  const auto usual = language_training_results(step, 1, kLanguageTarget, languages);
  step.table("a language model of one layer: updates to 1.5 nats a word", {"Adam"})
      .digits(0)
      .row("G 0.01", {median_updates(small)}, fmt::format("models: {}", updates_text(small)))
      .row("G 1", {median_updates(usual)}, fmt::format("models: {}", updates_text(usual)));
  step.number("a tenth of G costs SGD",
              median_updates(of(0.01, sgd)) - median_updates(of(0.1, sgd)),
              "updates more (from 0.1 to 0.01), not ten times as many", 0);
  const course::Spread by_sgd = times_as_many(of(0.01, sgd), of(1, sgd));
  const course::Spread by_adam = times_as_many(of(0.01, adam), of(1, adam));
  const course::Spread in_language = times_as_many(small, usual);
  step.predict("G = 0.01, so scores begin 10000 times smaller. How much slower is SGD?",
               {"not at all", "2 to 4 times", "100 times or more"},
               by_sgd.mean < 1.5  ? 0
               : by_sgd.mean < 10 ? 1
                                  : 2);
  step.picture(course::Curves("loss in nats of model 0, mean of 20 updates", "update"))
      .series("SGD, G 1", tasks::moving_mean(of(1, sgd)[0]->losses))
      .series("SGD, G 0.01", tasks::moving_mean(of(0.01, sgd)[0]->losses))
      .series("Adam, G 1", tasks::moving_mean(of(1, adam)[0]->losses))
      .series("Adam, G 0.01", tasks::moving_mean(of(0.01, adam)[0]->losses));
  const double entropy = initial_measures(step, {.factor = 0.01}, models).entropy;
  const bool pools_and_slow = entropy > 0.99 && by_sgd.lowest > kSlowerBySgd;
  step.claim("B11", Evidence::kTensor, /*cases=*/models * (256 + 4) + 2 * languages)
      .seeds(static_cast<int>(models))
      .as_stated(pools_and_slow)
      .right(pools_and_slow && by_adam.highest < kSlowerBySgd && in_language.highest < kSlowerBySgd)
      .value(by_sgd.mean)
      .interval(by_sgd.lowest, by_sgd.highest)
      .expected("H / ln 9 > 0.99; SGD > 1.8 x as many updates; Adam, and the language: < 1.8 x")
      .tolerance("bound of the rule, on both sides; in every model")
      .found(fmt::format("H / ln 9 {:.4f}; SGD {:.1f} x, Adam {:.2f} x, the language {:.2f} x",
                         entropy, by_sgd.mean, by_adam.mean, in_language.mean));
  step.why(
      "Even weights pass gradient to the scores, but W_Q hears of it through W_K, which is small. "
      "SGD crawls off the saddle; Adam hardly minds how small.");
  step.try_next(
      {"./gradwalk run 6 --claim=B11 --break=adam-too", "./gradwalk run 6 --claim=B11 --predict"});
}

}  // namespace gradwalk::lesson_06
