#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "lessons/07_what_is_needed/matching.h"
#include "lessons/07_what_is_needed/steps/steps.h"
#include "lessons/07_what_is_needed/tables.h"
#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lesson_07 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kTokens = 16, kWidth = 16, kShownTokens = 6;

constexpr DType kF64 = DType::kFloat64;

// The scores of random tokens with themselves, over several pairs of inputs.
struct RawScores {
  double asymmetry = 0;
  double deviation = std::numeric_limits<double>::infinity();
  double change = std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double own_best = 1;
  Tensor first, second;  // the first pair of inputs, [16, 16]
};

RawScores raw_scores(Step& step, bool same_x) {
  RawScores all;
  Generator generator = step.generator("tokens");
  const auto tokens = [&] {
    const Tensor x = normal({kTokens, kWidth}, generator, kF64);
    return same_x ? matmul(ones({kTokens, 1}, kF64), slice(x, 0, 0, 1)) : x;
  };
  for (std::int64_t pair = 0; pair < step.whole("inputs"); ++pair) {
    const Tensor x = tokens(), other = tokens();
    const Tensor scores = matmul(x, transpose(x)), others = matmul(other, transpose(other));
    const ScoreFacts facts = facts_of(scores);
    all.asymmetry = std::max(all.asymmetry, facts.asymmetry);
    all.deviation = std::min(all.deviation, facts.deviation);
    all.change = std::min(all.change, relative_change(others, scores));
    all.smallest = std::min(all.smallest, facts.smallest);
    all.own_best = std::min(all.own_best, facts.own_best);
    if (pair == 0) all.first = x, all.second = other;
  }
  return all;
}

void record_scores(Step& step, const std::string& name, const Tensor& x) {
  const Tensor shown = slice(x, 0, 0, kShownTokens);
  step.tensor("x_" + name, shown)
      .axes("token", "component")
      .explain(Explain::given("N(0, 1), the first 6 of 16 tokens"));
  step.tensor("s_" + name, matmul(shown, transpose(shown)))
      .axes("token that asks", "token that is asked")
      .explain(Explain::contraction("ic,jc->ij", {"x_" + name, "x_" + name}));
}

}  // namespace

void x_three_times(Step& step) {
  const std::int64_t seeds = step.whole("seeds"), inputs = step.whole("inputs");
  const RawScores raw = raw_scores(step, step.broken("same-x"));
  const auto lookup = [&](const Matrices& matrices, bool tables, double mark = 1) {
    return variant_over_seeds(
        step,
        {.matrices = matrices, .tables = tables, .mark = mark, .updates = step.whole("updates")},
        seeds);
  };
  step.formula("Q = K = V = x: no weight at all in attention      S = X X^T, s_ij = x_i.x_j");
  step.formula("a page: 8 cards x_j = key_j + value_j, then a question x_8 = key + mark");
  step.formula("asked for: the value of the card with that key, one of 16; d = 32, one head");
  step.number("largest |s_ij - s_ji|", raw.asymmetry, "symmetric, as x_i.x_j = x_j.x_i");
  step.number(
      "standard deviation of the scores", raw.deviation,
      fmt::format("16 tokens of 16 numbers, smallest of {} inputs; a constant has 0", inputs), 2);
  step.number("|S' - S| / |S|", raw.change, "for other tokens, smallest: S hangs on the input", 2);
  step.number("smallest u^T S u with |u| = 1", raw.smallest, "never below 0: it is |X^T u|^2");
  step.number("rows that like themselves best", raw.own_best,
              "share, smallest; of tokens of one length all", 3);
  record_scores(step, "one", raw.first);
  record_scores(step, "other", raw.second);
  step.picture(course::Heatmap(
      "x_i.x_j of six tokens, and of six others: far from constant, and largest with itself",
      {"s_one", "s_other"}));

  const VariantSpread all = lookup(kAll, true), none = lookup(kNone, true);
  const VariantSpread all_fixed = lookup(kAll, false), none_fixed = lookup(kNone, false);
  VariantTable table(step);
  table.row("all matrices, tables learn", all);
  table.row("no matrix, tables learn", none, "x itself moves until it fits: slower");
  table.row("all matrices, tables fixed", all_fixed);
  table.row("no matrix, tables fixed", none_fixed, "only the readout learns");
  table.row("the same, mark times 0.5", lookup(kNone, false, 0.5),
            "the question matches itself less");
  table.row("the same, mark times 1.5", lookup(kNone, false, 1.5), "it matches little but itself");
  step.number("guessing blindly", 1.0 / 16, "one of 16 values", 4);
  step.picture(course::Curves("model 0: loss in nats, mean of 20 updates", "updates"))
      .series("all", all.losses)
      .series("none", none.losses)
      .series("all, fixed", all_fixed.losses)
      .series("none, fixed", none_fixed.losses);
  const VariantLosses language = language_row(step, kAll), raw_language = language_row(step, kNone);
  language_table(step, {language, raw_language});
  const double gap = smallest_gap(raw_language, language);
  step.predict("No W_Q, no W_K, no W_V, but x may move: what becomes of the look-up?",
               {"nothing is learned", "it is learned, only later"},
               none.accuracy.lowest > 0.95 ? 1 : 0);
  const bool constant = raw.deviation < 1;
  const bool learns = none.accuracy.lowest > 0.95;
  const bool weaker = none_fixed.accuracy.highest < 0.95 &&
                      none_fixed.accuracy.mean < all_fixed.accuracy.lowest - kGap && gap > kGap;
  step.claim("B7", Evidence::kTensor, /*cases=*/256 * inputs + 4 * 1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(constant && !learns)
      .right(!constant && raw.change > 0.5 && learns && weaker)
      .value(raw.deviation)
      .expected("deviation > 1, change > 0.5; right > 0.95; fixed: mean lower by 0.2; +0.2 nats")
      .tolerance("the bounds are the claim's; in every input and model, fixed also < 0.95")
      .found(fmt::format("deviation {:.1f}; right {:.3f}, fixed {:.2f}; language +{:.2f}",
                         raw.deviation, none.accuracy.mean, none_fixed.accuracy.mean, gap));
  step.why(
      "x.x is no constant: it passes gradients to x, so a model can bend x. Fixed tables leave it "
      "with what they match by themselves: each token with itself.");
  step.try_next(
      {"./gradwalk run 7 --claim=B7 --break=same-x", "./gradwalk run 7 --claim=B7 --predict"});
}

}  // namespace gradwalk::lesson_07
