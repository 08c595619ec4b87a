#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "lessons/22_values_and_collapse/key_spread.h"
#include "lessons/22_values_and_collapse/scores.h"
#include "lessons/22_values_and_collapse/steps/common.h"
#include "lessons/22_values_and_collapse/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_22 {
namespace {

using course::Evidence;
using course::Step;
using tasks::NumberDraw;

}  // namespace

void what_shows_it(Step& step) {
  const bool upper = step.broken("high-half");
  const std::int64_t seeds = step.whole("seeds");
  const auto half = upper ? &KeySpread::high : &KeySpread::low;
  const auto spread = [&](const KeySpread& measures) { return (measures.*half).spread; };
  const auto order = [&](const KeySpread& measures) { return (measures.*half).order; };
  const auto pairs = [&](const KeySpread& measures) { return (measures.*half).pairs; };
  step.formula("n numbers drawn one by one      K[16,8]: keys of the numbers");
  step.formula("first component: the direction along which the keys differ most");
  step.formula("share: variance of the keys along it / all of their variance");
  step.formula("place: where a key lies along it");
  step.formula(fmt::format("of the numbers {}:",
                           upper ? "8 to 15, the upper half" : "0 to 7, the lower half"));
  step.formula("spread: std of their places / std of all 16 places; even: 0.5");
  step.formula("order: |rank correlation| of place and worth; by chance 0.3");
  step.formula("pairs: share of pairs i < j with z_j - z_i > 1, as before");
  auto table = step.table(fmt::format("means of {} models each", seeds),
                          {"share", "spread", "order", "pairs"});
  table.digits(2);
  auto& bars = step.picture(course::Bars("n = 2 is healthy: what tells the others from it?",
                                         {"share", "spread", "order", "pairs"}));
  bars.digits(2);
  const std::vector<std::int64_t> lengths = lengths_of(step);
  std::vector<std::vector<const KeySpread*>> all;
  for (const std::int64_t length : lengths) {
    const tasks::NumberTraining training = training_on(step, length, NumberDraw::kUniform);
    const auto models = key_spreads(step, training, seeds);
    const std::vector<double> means = {over(models, &KeySpread::share).mean,
                                       over(models, spread).mean, over(models, order).mean,
                                       over(models, pairs).mean};
    table.row(fmt::format("n = {}", length), means);
    bars.group(fmt::format("n = {}", length), means);
    if (length <= kSqueezed) {
      tasks::draw_keys(step, fmt::format("keys, n = {}, first model", length),
                       models.front()->head.keys, training.task);
      record_scores(step, fmt::format("{}", length), *models.front(),
                    fmt::format("n = {}, first model", length));
    }
    all.push_back(models);
  }
  const auto &healthy = all[0], &squeezed = all[1];
  step.number(fmt::format("spread, n = {} less n = 8", lengths.back()),
              over(all.back(), spread).mean - over(squeezed, spread).mean,
              "above 0: it grows again, though still less was learned", 2);
  const double share =
      over(squeezed, &KeySpread::share).mean - over(healthy, &KeySpread::share).mean;
  const bool shown = all_below(each(squeezed, spread), each(healthy, spread)) &&
                     all_below(each(squeezed, order), each(healthy, order));
  const bool fewer = all_below(each(squeezed, pairs), each(healthy, pairs));
  step.predict("Half of the numbers are one heap. What of the first component's share of variance?",
               {"it falls", "it rises"}, share > 0 ? 1 : 0);
  step.claim("A28", Evidence::kTensor, /*cases=*/std::ssize(lengths) * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(shown)
      .right(shown && fewer && share > 0)
      .value(over(squeezed, spread).mean)
      .interval(over(squeezed, spread).lowest, over(squeezed, spread).highest)
      .expected("n = 8 against 2: spread, order and pairs fall, the share does not")
      .tolerance("in every model; the share: means")
      .found(fmt::format("spread {:.2f} -> {:.2f}, order {:.2f} -> {:.2f}, share {:+.2f}",
                         over(healthy, spread).mean, over(squeezed, spread).mean,
                         over(healthy, order).mean, over(squeezed, order).mean, share));
  step.why(
      "Large numbers far out make the first component as large as an order of all would. KeySpread "
      "at "
      "who lies where, and at pairs: a share does not know the numbers.");
  step.try_next({"./gradwalk run 22 --claim=A28 --break=high-half",
                 "./gradwalk run 22 --claim=A28 --predict"});
}

}  // namespace gradwalk::lesson_22
