#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

constexpr double kSeveral = 2;

// The most and the fewest updates that each model needed over the starts: their ratio.
course::Spread most_over_fewest(const std::vector<std::vector<const TrainingResult*>>& starts) {
  std::vector<double> ratios;
  for (std::size_t model = 0; model < starts.front().size(); ++model) {
    int fewest = std::numeric_limits<int>::max(), most = 0;
    for (const auto& models : starts) {
      fewest = std::min(fewest, models[model]->updates);
      most = std::max(most, models[model]->updates);
    }
    ratios.push_back(static_cast<double>(most) / fewest);
  }
  return course::spread_of(ratios);
}

}  // namespace

void how_much_slower(Step& step) {
  const std::int64_t models = step.whole("models"), languages = step.whole("languages");
  const bool placebo = step.broken("other-starts");
  const auto updates = static_cast<int>(step.whole("updates"));
  const TrainingPlan adam{.updates = updates};
  const TrainingPlan sgd{.optimizer = tasks::Optimizer::kSgd, .updates = updates / 2};
  const std::vector<double> factors = step.quick()
                                          ? std::vector<double>{0.01, 0.1, 1, 3, 30}
                                          : std::vector<double>{0.01, 0.1, 0.3, 1, 3, 10, 30};
  step.formula("variance in W_Q and W_K: G^2 / 32      all else alike, pages too");
  step.formula("updates to a loss of 0.7 nats: Adam, rate 0.003; SGD, rate 0.3");
  auto table =
      step.table(fmt::format("median of the models: {}; never: all updates are counted", models),
                 {"Adam", "SGD"});
  std::vector<double> x, by_adam, by_sgd;
  std::vector<std::vector<const TrainingResult*>> near;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double factor = factors[i];
    const Initialization start = placebo ? Initialization{.draw = static_cast<std::int64_t>(i)}
                                         : Initialization{.factor = factor};
    const auto fast = training_results(step, start, adam, models),
               plain = training_results(step, start, sgd, models);
    table.digits(0).row(fmt::format("G {}", factor), {median_updates(fast), median_updates(plain)},
                        fmt::format("models: {} and {}", updates_text(fast), updates_text(plain)));
    x.push_back(std::log10(factor));
    by_adam.push_back(std::log2(median_updates(fast)));
    by_sgd.push_back(std::log2(median_updates(plain)));
    if (factor >= 0.1 && factor <= 3) near.push_back(fast);
  }
  step.picture(course::Curves("log2 of the updates: 1 up is twice as many", "log10 G"))
      .series("Adam", x, by_adam)
      .series("SGD", x, by_sgd);
  auto language =
      step.table("a language model of one layer: 300 updates of Adam", {"to 1.8 nats", "to 1.5"});
  const std::vector<double> language_factors =
      step.quick() ? std::vector<double>{0.01, 1} : std::vector<double>{0.01, 1, 3};
  for (const double factor : language_factors) {
    const auto early = language_training_results(step, factor, 1.8, languages);
    const auto late = language_training_results(step, factor, 1.5, languages);
    language.digits(0).row(
        fmt::format("G {}", factor), {median_updates(early), median_updates(late)},
        fmt::format("models: {} and {}", updates_text(early), updates_text(late)));
  }
  const course::Spread ratio = most_over_fewest(near);
  step.predict("G from 0.1 to 3, nothing else differs. How many times as many updates at most?",
               {"up to 1.3", "1.3 to 2", "2 to 5", "more than 5"},
               ratio.mean < 1.3 ? 0
               : ratio.mean < 2 ? 1
               : ratio.mean < 5 ? 2
                                : 3);
  step.claim("B12", Evidence::kTensor,
             /*cases=*/models * static_cast<std::int64_t>(near.size()))
      .seeds(static_cast<int>(models))
      .as_stated(ratio.lowest > kSeveral)
      .right(ratio.lowest > kSeveral)
      .value(ratio.mean)
      .interval(ratio.lowest, ratio.highest)
      .expected("most / fewest updates > 2 for G from 0.1 to 3")
      .tolerance("bound of the rule; Adam, in every model")
      .found(
          fmt::format("{:.1f} times ({:.1f} to {:.1f})", ratio.mean, ratio.lowest, ratio.highest));
  step.why(
      "Too small costs a logarithm, and next to nothing with Adam; too large costs without limit. "
      "How much depends on how much attention has to do.");
  step.try_next({"./gradwalk run 6 --claim=B12 --break=other-starts",
                 "./gradwalk run 6 --claim=B12 --set=models=5"});
}

}  // namespace gradwalk::lesson_06
