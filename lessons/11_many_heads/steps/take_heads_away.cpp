#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lessons/11_many_heads/language_heads.h"
#include "lessons/11_many_heads/lookups.h"
#include "lessons/11_many_heads/steps/common.h"
#include "lessons/11_many_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_11 {
namespace {

using course::Evidence;
using course::Step;

constexpr double kSpare = 0.01, kNeeded = 0.05;  // nats a word

}  // namespace

void take_heads_away(Step& step) {
  const std::int64_t models = step.whole("models");
  step.formula("cost of a head = loss with its columns of W_O at 0 - loss, nats a word");
  step.formula("2 layers, each 4 heads of 8 or 8 heads of 4: as many parameters");
  auto table =
      step.table("heads, taken away one by one", {"loss", "cheapest", "dearest", "< 0.01", "of"});
  double cheapest = -1, dearest = 1e9;
  std::vector<double> spare;
  for (const std::int64_t heads : {4, 8}) {
    for (std::int64_t model = 0; model < models; ++model) {
      const Pruning& found = pruning(step, heads_of(step, model, heads));
      const double low = found.alone.front().cost, high = found.alone.back().cost;
      const auto below = std::count_if(found.alone.begin(), found.alone.end(),
                                       [](const HeadCost& r) { return r.cost < kSpare; });
      table.digits({3, 4, 3, 0, 0})
          .row(fmt::format("{} a layer, model {}", heads, model),
               {found.loss, low, high, static_cast<double>(below),
                static_cast<double>(found.alone.size())},
               heads == 4 && model == 0 ? "< 0.01: how many heads cost less than that" : "");
      if (heads == 8) {
        cheapest = std::max(cheapest, low);
        spare.push_back(static_cast<double>(below));
      } else {
        dearest = std::min(dearest, high);
      }
    }
  }
  const LanguageHeads first = heads_of(step, 0, 8);
  auto& bars =
      step.picture(course::Bars("model 0, 8 heads a layer: cost of each head alone", {"nats"}));
  bars.digits(4);
  for (const HeadCost& one : pruning(step, first).alone) {
    bars.group(fmt::format("layer {} head {}", one.layer, one.head), {one.cost});
  }
  const std::vector<HeadCost>& order = prune_all(step, first);
  std::vector<double> removed = {0}, cost = {0};
  for (const HeadCost& one : order) {
    removed.push_back(removed.back() + 1);
    cost.push_back(one.cost);
  }
  const auto within =
      std::count_if(order.begin(), order.end(), [](const HeadCost& r) { return r.cost < kNeeded; });
  step
      .picture(course::Curves(
          "the same model: one after the other, always the one missed least; cost of all, nats",
          "heads taken away"))
      .series("cost", removed, cost);
  step.number("heads that can go together", static_cast<double>(within),
              "of 16, for less than 0.05 nats in all");
  step.predict("16 heads have learned together. How many can go before 0.05 nats are lost?",
               {"none", "one to four", "five or more"},
               within == 0  ? 0
               : within < 5 ? 1
                            : 2);
  LookupOptions options{.heads = 2, .updates = step.whole("updates") / 2};
  const LookupSpread two = lookup_over_seeds(step, options, models);
  options.heads = 32;
  if (step.broken("wide-heads")) options.head_dim = 16;
  const LookupSpread many = lookup_over_seeds(step, options, models);
  step.table(fmt::format("two questions at once; models of each: {}", models),
             {"right", "lowest", "highest"})
      .digits(3)
      .row("2 heads", {two.each.mean, two.each.lowest, two.each.highest})
      .row("32 heads", {many.each.mean, many.each.lowest, many.each.highest},
           "as in the second step");
  const bool holds = many.each.highest < two.each.lowest - 0.2 && cheapest < kSpare;
  step.claim("B45", Evidence::kTensor, /*cases=*/models * (2 * 4 + 2 * 8 + 2 * 1024))
      .seeds(static_cast<int>(models))
      .as_stated(holds)
      .right(holds && dearest > kNeeded)
      .value(two.each.mean - many.each.mean)
      .expected("32 heads worse by > 0.2; of 8 a layer one < 0.01 nats, of 4 one > 0.05")
      .tolerance("the bounds are the claim's; in every model")
      .found(fmt::format("2 heads {:.3f}, 32 {:.3f}; cheapest {:.4f}, dearest {:.3f} nats",
                         two.each.mean, many.each.mean, cheapest, dearest));
  step.why(
      "Eight heads share what four can do: each does less, some next to nothing. Which matter is "
      "seen "
      "by taking them away, not by counting them.");
  step.try_next({"./gradwalk run 11 --claim=B45 --break=wide-heads",
                 "./gradwalk run 11 --claim=B45 --predict"});
}

}  // namespace gradwalk::lesson_11
