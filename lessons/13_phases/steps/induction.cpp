#include "lessons/13_phases/induction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lessons/13_phases/steps/steps.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/head_targets.h"
#include "nn/seed.h"
#include "tensor/random.h"

namespace gradwalk::lesson_13 {
namespace {

constexpr int kUpdates = 300, kEvery = 10;

// The first number of a curve from which it is halfway from its first to its last.
std::size_t halfway(const std::vector<double>& curve) {
  const double half = (curve.front() + curve.back()) / 2;
  return static_cast<std::size_t>(
      std::find_if(curve.begin(), curve.end(), [&](double y) { return y >= half; }) -
      curve.begin());
}

}  // namespace

void induction(course::Step& step) {
  const std::int64_t models = step.whole("induction_models");
  const InductionOptions options;
  step.formula("text: 5 to 11 different symbols of 16, again and again;  a b c d e a b c d ... ?");
  step.formula("layer 1: key j notes symbol j-1     layer 2: query a finds the note a, copies b");
  auto table = step.table("updates until halfway", {"right", "match", "before", "right, end"});
  std::vector<double> x, right0, match0, before0;
  double worst = 1, gap = 0;
  for (std::int64_t seed = 0; seed < models; ++seed) {
    const auto model = new_induction_model(
        options, nn::Seed(step.seed()) / fmt::format("phases/induction {}", seed));
    Generator texts = step.generator(fmt::format("induction texts {}", seed));
    Generator tests = step.generator(fmt::format("induction tests {}", seed));
    const auto test = draw_induction(64, options.sizes, tests);
    std::vector<double> at, right, match, before;
    const auto score = [&](int updates) {
      const InductionScore now = induction_score(*model, test);
      at.push_back(updates);
      right.push_back(now.accuracy);
      match.push_back(tasks::best_head(now.after_match[1]));
      before.push_back(tasks::best_head(now.previous[0]));
    };
    score(0);
    const auto progress = step.training_progress(seed, models, kUpdates);
    train_induction(*model, options.sizes,
                    {.updates = kUpdates,
                     .progress =
                         [&](int updates) {
                           if (updates % kEvery == 0) score(updates);
                           progress(updates);
                         }},
                    texts);
    const double match_at = at[halfway(match)], before_at = at[halfway(before)];
    table.digits({0, 0, 0, 3})
        .row(fmt::format("model {}", seed),
             {at[halfway(right)], match_at, before_at, right.back()});
    worst = std::min(worst, right.back());
    gap = std::max(gap, std::abs(match_at - before_at));
    if (seed > 0) continue;
    x = at;
    right0 = right;
    match0 = match;
    before0 = before;
  }
  step.number("match, before", gap, "updates between their halves, the model with the most", 0);
  step.picture(course::Curves(
                   "model 0: share right; weight on the symbol after the match; on the one before",
                   "updates"))
      .series("right", x, right0)
      .series("match (layer 2)", x, match0)
      .series("before (layer 1)", x, before0);
  step.check("right > 0.9 at the end, every model", worst > 0.9, fmt::format("{:.3f}", worst));
  step.check("both heads come together, within 60 updates", gap <= 60, fmt::format("{:.0f}", gap));
  step.why(
      "Neither head is of use without the other: little happens for 100 updates, then both come "
      "at once and the task is solved.");
  step.try_next({"./gradwalk run 13 --from=3 --seed=2"});
}

}  // namespace gradwalk::lesson_13
