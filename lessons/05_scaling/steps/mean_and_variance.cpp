#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/scores_by_width.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void mean_and_variance(Step& step) {
  const Entries entries{.mean = step.broken("shift-mean") ? 0.5 : 0};
  const std::vector<std::int64_t> d_ks = widths(step);
  const Tensor& scores = scores_by_width(step, d_ks, step.whole("pairs"), entries);
  const auto count = static_cast<double>(scores.shape()[1]);
  std::vector<double> x, y, means, bounds;
  double low = 1e9, high = 0;
  for (std::size_t i = 0; i < d_ks.size(); ++i) {
    const Tensor row = select(scores, 0, static_cast<std::int64_t>(i));
    const auto d_k = static_cast<double>(d_ks[i]);
    means.push_back(mean(row).item());
    bounds.push_back(5 * std::sqrt(d_k / count));
    const double v = variance(row);
    low = std::min(low, v / d_k);
    high = std::max(high, v / d_k);
    x.push_back(std::log2(d_k));
    y.push_back(std::log2(v));
  }
  Generator gen = step.generator("one pair");
  const Tensor q = normal({4}, gen, DType::kFloat64), k = normal({4}, gen, DType::kFloat64);
  step.formula("q asks, k answers; their score s = q.k = q_0 k_0 + ...: how well k fits");
  step.formula("d_k: how many numbers q and k have, so s is a sum of d_k products");
  step.formula("numbers drawn from N(0, 1), mean 0 and variance 1:");
  step.formula("mean of s = 0      variance of s = d_k      std = sqrt(d_k)");
  const double deviation = std::exp2(y[2] / 2);
  step.predict(
      "q and k have 64 numbers each, all drawn from N(0, 1). How far from 0 is a typical "
      "q.k?",
      {"about 1", "about 8", "about 64"},
      deviation < 3    ? 0
      : deviation < 24 ? 1
                       : 2);
  step.table("one pair with d_k = 4", {"0", "1", "2", "3"})
      .digits(3)
      .row("q", q)
      .row("k", k)
      .row("q_i k_i", q * k, fmt::format("sum: s = {:.3f}", sum(q * k).item()));
  auto table = step.table(fmt::format("{:.0f} pairs for each d_k; 0 +-: 5 standard errors", count),
                          {"mean", "0 +-", "std", "variance", "var/d_k"});
  for (std::size_t i = 0; i < d_ks.size(); ++i) {
    const double v = std::exp2(y[i]);
    table.digits({3, 3, 2, 1, 3})
        .row(at_width(d_ks[i]),
             {means[i], bounds[i], std::sqrt(v), v, v / static_cast<double>(d_ks[i])});
  }
  const Tensor shifted =
      select(scores_by_width(step, {64}, step.whole("pairs"), {.mean = 0.5}), 0, 0);
  table.row("d_k 64, mean 0.5",
            {mean(shifted).item(), 5 * std::sqrt(96 / count), std::sqrt(variance(shifted)),
             variance(shifted), variance(shifted) / 64},
            "64 * 0.25; 64 * 1.5");
  step
      .picture(course::Curves(
          "log2 of the variance: d_k doubled (1 right), variance doubled (1 up)", "log2 d_k"))
      .series("variance", x, y);
  step.tensor("q", q).axes("component").explain(Explain::given("N(0, 1)"));
  step.tensor("k", k).axes("component").explain(Explain::given("N(0, 1)"));
  step.tensor("s", sum(q * k)).explain(Explain::contraction("i,i->", {"q", "k"}));
  const double off = variance_tolerance(count);
  bool at_zero = true, grows = true;
  for (std::size_t i = 0; i < means.size(); ++i) {
    at_zero = at_zero && std::abs(means[i]) < bounds[i];
    grows = grows && means[i] > bounds[i] && (i == 0 || means[i] > means[i - 1]);
  }
  step.claim("B25", Evidence::kTensor, /*cases=*/scores.numel())
      .seeds(static_cast<int>(step.whole("seeds")))
      .as_stated(grows && std::is_sorted(y.begin(), y.end()))
      .right(at_zero && low > 1 - off && high < 1 + off)
      .value(high)
      .interval(low, high)
      .expected(fmt::format("mean 0 +-5 SE; variance/d_k 1 +-{:.2f}", off))
      .tolerance(fmt::format("{:.2f}: 5 standard errors (SE) of a variance, N={:.0f}", off, count))
      .found(fmt::format("variance/d_k {:.3f} to {:.3f}, mean {:.2f} at {}", low, high,
                         means.back(), d_ks.back()));
  step.why(
      "Each product has mean 0 and variance 1, and variances of independent terms add up: d_k of "
      "them. So a typical score is sqrt(d_k) away from 0.");
  step.try_next({"./gradwalk run 5 --claim=B25 --break=shift-mean"});
}

}  // namespace gradwalk::lesson_05
