#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "lessons/14_reading_heads/scaled_values.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "nn/seed.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// Energy goes with the square: what a share s becomes when its head is f times louder.
double louder_share(double s, double f) { return f * f * s / (f * f * s + 1 - s); }

}  // namespace

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
  std::vector<std::vector<ScaledValues>> found;
  const auto measure = [&](double factor, bool with_undone) {
    std::vector<ScaledValues> heads;
    double ratio = 0, share = 0, size = 0, still = 0;
    const auto n = static_cast<double>(layers);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      heads.push_back(
          scaled_values(nn::Seed(step.seed()) / fmt::format("reading_heads/loud {}", layer),
                        step.generator(fmt::format("loud tokens {}", layer)), factor, with_undone));
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
  const std::vector<ScaledValues> quiet = measure(1000, true).first;
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
  step.picture(
          course::Curves("share of head 0, and how much of x is left after layer norm", "log10 f"))
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

}  // namespace gradwalk::lesson_14
