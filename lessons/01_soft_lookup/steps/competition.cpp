#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/01_soft_lookup/steps/common.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void competition(Step& step) {
  const bool alone = step.broken("sigmoid");
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor lift = vector({0, 0, 1, 0}, kF64);
  const Tensor w = shares(s, alone).value();
  const Tensor after = shares(s + lift, alone).value();
  const double factor = 1 / (1 + w.at({2}) * (std::exp(1) - 1));
  step.formula("w = softmax(s)      dw_i/ds_j = w_i (1[i=j] - w_j)      s[4] -> w[4], J[4,4]");
  step.formula("s_j + 1:   w_i' = w_i / (1 + w_j (e - 1)) for every i but j");
  const Tensor lost = w - after;
  const bool same_share = std::abs(after.at({0}) / w.at({0}) - after.at({3}) / w.at({3})) < 1e-12;
  const bool same_amount = std::abs(lost.at({0}) - lost.at({3})) < 1e-12;
  step.predict("The score of car rises by 1. What happens to the other three shares?",
               {"each loses the same amount", "each loses the same part of itself", "nothing"},
               same_amount  ? (lost.at({0}) == 0 ? 2 : 0)
               : same_share ? 1
                            : 0);
  step.table("the score of car is lifted by 1", c.names)
      .digits(4)
      .row("before", w, fmt::format("sum {:.4f}", sum(w).item()))
      .row("after", after, fmt::format("sum {:.4f}", sum(after).item()))
      .row("after / before", after / w, fmt::format("formula, all but car: {:.4f}", factor));
  auto& bars = step.picture(course::Bars("shares", {"before", "after"}));
  for (std::int64_t card = 0; card < 4; ++card) {
    bars.group(c.names[std::size_t(card)], {w.at({card}), after.at({card})});
  }
  record_cards(step, c);
  if (!alone) {
    step.tensor("w", w).axes("card").rows(c.names).explain(Explain::softmax("s"));
    step.tensor("J", jacobian_of_shares(s, alone))
        .axes("share of", "score of")
        .rows(c.names)
        .columns(c.names)
        .explain(Explain::custom([](const course::Index& at, const course::Operands& of) {
          const double own = at[0] == at[1] ? 1 : 0;
          const double wi = of("w", {at[0]});
          const double wj = of("w", {at[1]});
          course::Explanation e;
          e.value = wi * (own - wj);
          e.formula = fmt::format("w[{}] ({} - w[{}])", at[0], own, at[1]);
          e.lines = {fmt::format("{:.4f} * ({} - {:.4f})", wi, own, wj)};
          return e;
        }));
    step.picture(course::Heatmap(
        "J[i,j] = dw_i/ds_j: a score (column) rises, all shares (rows) move", {"J"}));
  }
  const std::int64_t seeds = step.whole("seeds");
  const Competition worst = competition_over_seeds(step, seeds, alone);
  const auto note = fmt::format("8 random scores, each lifted in turn, {} seeds", seeds);
  step.number("|sum of shares - 1|", worst.sum_off, note);
  step.number("largest dw_i/ds_j, i not j", worst.largest_other,
              "negative: a rise costs all others");
  step.number("|column sum of J|", worst.column_off, "what one gains the others lose");
  step.number("|after / before - formula|", worst.factor_off, "one factor for all the others");
  const bool competes = worst.sum_off < 8 * kEpsilon && worst.all_others_fall;
  step.claim("B32", Evidence::kTensor, /*cases=*/56 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(competes)
      .right(competes && worst.factor_off < 64 * kEpsilon && worst.column_off < 8 * kEpsilon &&
             worst.largest_other < 0)
      .value(worst.factor_off)
      .expected("sum 1, others fall by one factor")
      .tolerance("8 roundings of 1: 1.8e-15; a quotient of two shares: 1.4e-14")
      .found(fmt::format("sum off {:.1g}, factor off {:.1g}", worst.sum_off, worst.factor_off));
  step.why(
      "There is one whole to share: who gains takes from all others in proportion, so their "
      "order among each other stays.");
  step.try_next({"./gradwalk run 1 --claim=B32 --break=sigmoid"});
}

}  // namespace gradwalk::lesson_01
