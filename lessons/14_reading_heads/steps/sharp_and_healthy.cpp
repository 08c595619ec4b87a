#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lessons/14_reading_heads/lookup_head.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "nn/seed.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void sharp_and_healthy(Step& step) {
  const bool same = step.broken("same-values");
  const std::int64_t seeds = step.whole("seeds");
  const int updates = static_cast<int>(step.whole("lookup_updates"));
  step.formula("lesson 1's task: 8 cards, one is asked for      w = softmax(q.k / sqrt(32)), w[9]");
  auto table =
      step.table("trained models, means over 512 fresh pages", {"right", "largest", "on the card"});
  double sharpest = 0, softest = 1, right = 1;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const LookupHead head =
        lookup_head(nn::Seed(step.seed()) / fmt::format("reading_heads/sharp {}", seed),
                    step.generator(fmt::format("cards {}", seed)),
                    {.updates = updates,
                     .same_values = same,
                     .progress = step.training_progress(seed, seeds, updates)});
    table.digits(3).row(fmt::format("model {}", seed),
                        {head.accuracy, head.largest, head.on_answer},
                        seed == 0 ? "largest: weight of the question; on the card: asked for" : "");
    sharpest = std::max(sharpest, head.largest);
    softest = std::min(softest, head.largest);
    right = std::min(right, head.accuracy);
    if (seed > 0) continue;
    step.tensor("s", head.scores)
        .axes("card")
        .rows(head.cards)
        .explain(Explain::given("q.k / sqrt(32) of the trained layer, one page"));
    step.tensor("w", head.weights).axes("card").rows(head.cards).explain(Explain::softmax("s"));
    auto& bars = step.picture(
        course::Bars("where the question looks, one page (! is asked for)", {"weight"}));
    bars.digits(3);
    for (std::size_t card = 0; card < head.cards.size(); ++card) {
      bars.group(head.cards[card], {head.weights.at({static_cast<std::int64_t>(card)})});
    }
  }
  step.claim("B52", Evidence::kTensor, /*cases=*/512 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(right > 0.99 && sharpest < 0.8)
      .right(right > 0.99 && softest > 0.8)
      .value(softest)
      .interval(softest, sharpest)
      .expected("right > 0.99 with a largest weight > 0.8")
      .tolerance("bounds of the rule; in every model")
      .found(
          fmt::format("right {:.3f}, largest weight {:.3f} to {:.3f}", right, softest, sharpest));
  step.why(
      "A look-up has one right place, and a healthy head puts nearly all its weight there. Sharp "
      "or "
      "spread: the task decides, not health.");
  step.try_next({"./gradwalk run 14 --claim=B52 --break=same-values"});
}

}  // namespace gradwalk::lesson_14
