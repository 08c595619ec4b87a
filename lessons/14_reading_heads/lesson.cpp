// Lesson 14: what may be read off a trained head, and what may not.
//
// Claims   B42, B43, B44, B47, B48, B52: article 003, sections 5.1, 5.2 and 5.3, on looking into
//          trained attention
// Builds   on lesson 1 (the dictionary), lesson 2 (heads as blocks of rows), lesson 11 (what a head
//          adds, a language model and its heads)
// Run      ./gradwalk run 14 --step
//
// loud_head.h has the first step's layer, sharp_head.h the models that look up, readers.h those
// that read a language; steps.h says where the other steps stand.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/14_reading_heads/loud_head.h"
#include "lessons/14_reading_heads/sharp_head.h"
#include "lessons/14_reading_heads/steps.h"
#include "lessons/course/measure.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

/// Energy goes with the square: what a share s becomes when its head is f times louder.
double louder_share(double s, double f) { return f * f * s / (f * f * s + 1 - s); }

void loud_values(Step& step) {
  const bool undone = step.broken("undone");
  const std::int64_t layers = step.whole("layers");
  const std::vector<double> factors = {1, 10, 100, 1000};
  step.formula("v_0 = f W_V,0 x: head 0 alone speaks f times louder      8 heads of 8, x[32,64]");
  step.formula("y_h = W_O,h o_h, what head h adds      share_h = sum |y_h|^2 / sum over all heads");
  step.formula("s at f = 1 becomes f^2 s / (f^2 s + 1 - s)");
  step.formula("kept = cos(LN(x + y), LN(x)), LN: layer norm      1: x is still all there");
  auto table = step.table(fmt::format("means of {} random layers", layers),
                          {"|v_0|/|v|", "share", "|y|/|x|", "kept"});
  table.digits({1, 4, 2, 3});
  std::vector<double> x, shares, kept;
  std::vector<std::vector<LoudHead>> found;
  const auto measure = [&](double factor, bool with_undone) {
    std::vector<LoudHead> heads;
    double ratio = 0, share = 0, size = 0, still = 0;
    const auto n = static_cast<double>(layers);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      heads.push_back(loud_head(nn::Seed(step.seed()) / fmt::format("reading_heads/loud {}", layer),
                                step.generator(fmt::format("loud tokens {}", layer)), factor,
                                with_undone));
      ratio += heads.back().value_ratio / n;
      share += heads.back().share.at({0}) / n;
      size += heads.back().output_ratio / n;
      still += heads.back().kept / n;
    }
    table.row(fmt::format("f = {}{}", factor, with_undone ? ", W_O / f" : ""),
              {ratio, share, size, still},
              factor == 1   ? "share of head 0; an even one would be 0.125"
              : with_undone ? "as loud inside, and nothing to hear"
                            : "");
    return std::pair(std::move(heads), std::pair(share, still));
  };
  for (const double factor : factors) {
    auto [heads, means] = measure(factor, undone);
    x.push_back(std::log10(factor));
    shares.push_back(means.first);
    kept.push_back(means.second);
    found.push_back(std::move(heads));
  }
  const std::vector<LoudHead> quiet = measure(1000, true).first;
  const auto share_of = [&](std::size_t factor, std::size_t layer) {
    return found[factor][layer].share.at({0});
  };
  double lowest_10 = 1, at_1000 = 1, kept_1000 = -1, off = 0, by_formula = 0;
  for (std::size_t layer = 0; layer < quiet.size(); ++layer) {
    lowest_10 = std::min(lowest_10, share_of(1, layer));
    at_1000 = std::min(at_1000, share_of(3, layer));
    kept_1000 = std::max(kept_1000, found[3][layer].kept);
    off = std::max(off, course::relative_distance(quiet[layer].output, found[0][layer].output));
    for (std::size_t factor = 0; factor < factors.size(); ++factor) {
      const double expected = louder_share(share_of(0, layer), factors[factor]);
      by_formula = std::max(by_formula, std::abs(share_of(factor, layer) - expected));
    }
  }
  const double at_10 = shares[1];
  step.number("lowest share at f = 10", lowest_10,
              "of all layers: its head had little to begin with", 3);
  step.number("shares, off the formula", by_formula, "the largest difference; rounding");
  step.number("output with f = 1000 and W_O / f, off", off, "of the output with f = 1; rounding");
  step.predict("Head 0 is 10 times louder. What is its share of what all 8 heads add?",
               {"a good half", "more than nine tenths", "10 of 17"},
               at_10 > 0.9 ? 1 : (at_10 < 0.6 && at_10 > 0.57 ? 2 : 0));
  step.curves("share of head 0, and how much of x is left after layer norm", "log10 f")
      .series("share", x, shares)
      .series("kept", x, kept);
  step.tensor("share", found[1][0].share)
      .axes("head")
      .explain(Explain::given("f = 10, first layer: energies of what the 8 heads add"));
  const bool dominates = at_1000 > 0.999 && kept_1000 < 0.1;
  step.claim("B42", Evidence::kTensor, /*cases=*/4 * layers)
      .seeds(static_cast<int>(layers))
      .as_stated(dominates)
      .right(dominates && at_10 > 0.9 && off < 1e-5 && by_formula < 1e-5)
      .value(at_1000)
      .expected("share > 0.9 at 10, mean; > 0.999 at 1000; kept < 0.1; W_O / f: 0 off")
      .tolerance("at 1000 every layer; 1e-5: sums of 64 products in float32")
      .found(fmt::format("share {:.3f} at 10, {:.5f} at 1000; kept {:.3f}; {:.1g} off", at_10,
                         at_1000, kept_1000, off));
  step.why(
      "Energy goes with the square: ten times louder is a hundred to one. But W_O has the last "
      "word: look at what a head adds, not at |v|.");
  step.try_next({"./gradwalk run 14 --claim=B42 --break=undone"});
}

void sharp_and_healthy(Step& step) {
  const bool same = step.broken("same-values");
  const std::int64_t seeds = step.whole("seeds");
  const int updates = static_cast<int>(step.whole("lookup_updates"));
  step.formula("lesson 1's task: 8 cards, one is asked for      w = softmax(q.k / sqrt(32)), w[9]");
  auto table =
      step.table("trained models, means over 512 fresh pages", {"right", "largest", "on the card"});
  double sharpest = 0, softest = 1, right = 1;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const SharpHead head =
        sharp_head(nn::Seed(step.seed()) / fmt::format("reading_heads/sharp {}", seed),
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
    auto bars = step.bars("where the question looks, one page (! is asked for)", {"weight"});
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

}  // namespace

course::Lesson lesson_14_reading_heads() {
  course::Lesson lesson(14, "reading_heads", "What may be read off a head");
  lesson.seeds(/*full=*/3, /*quick=*/1, "trained models of each kind");
  lesson.parameter({.name = "layers",
                    .value = 20,
                    .min = 5,
                    .max = 1000,
                    .whole = true,
                    .what = "random layers of the first step"});
  lesson.parameter({.name = "stretch",
                    .value = 10,
                    .min = 1,
                    .max = 1e6,
                    .what = "of one axis in the second step, no unit"});
  lesson.parameter({.name = "lookup_updates",
                    .value = 400,
                    .quick = 300,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of the dictionary models, batches of 32 pages"});
  lesson.parameter({.name = "language_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of the language models with two layers, half for those with one"});
  lesson.parameter({.name = "windows",
                    .value = 200,
                    .min = 16,
                    .max = 800,
                    .whole = true,
                    .what = "of 24 words in which each word is hidden once"});
  lesson.sabotage("undone", "W_O is divided by what W_V is multiplied with");
  lesson.sabotage("rotated", "every head is turned, no axis is stretched");
  lesson.sabotage("other-basis", "trained heads are written in another basis before they are read");
  lesson.sabotage("same-values", "all cards of a page hold the same value");
  lesson.sabotage("shifted-keys", "a weight is compared with the effect of the word before");
  lesson.sabotage("even-maps", "scores of the trained model are multiplied by 0");

  lesson.steps_stand_alone();
  lesson.step("One head a thousand times louder", loud_values, {"B42"});
  lesson.step("Another basis: every cosine changes, no weight does", another_basis);
  lesson.step("The same with trained heads", trained_bases, {"B43"});
  lesson.step("Do queries and keys of trained heads point alike?", queries_like_keys, {"B44"});
  lesson.step("A weight of 0.95, and all is well", sharp_and_healthy, {"B52"});
  lesson.step("A weight of 0.9 on a word that does nothing", silent_word);
  lesson.step("Weight, and what it is worth", weight_or_effect, {"B47"});
  lesson.step("Which words are looked at", looked_at, {"B48"});
  return lesson;
}

}  // namespace gradwalk::lessons
