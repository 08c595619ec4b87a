#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/09_causal_mask/masks.h"
#include "lessons/09_causal_mask/steps/common.h"
#include "lessons/09_causal_mask/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/triangle.h"

namespace gradwalk::lesson_09 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void place(Step& step) {
  const double infinite = step.broken("small-infinity") ? -20 : -kInfinity;
  const std::int64_t seeds = step.whole("seeds");
  const std::vector<double> sizes = {5, 10, 20, 50, 100, 200};
  std::vector<double> before(sizes.size()), after(sizes.size());
  double moved = 0, least_before = kInfinity, most_after = 0, highest_sum = 0, unlike = 0;
  Tensor hidden_row;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Generator generator = step.generator(fmt::format("queries and keys {}", seed));
    const Tensor q = normal({8, 64}, generator, DType::kFloat64);
    const Tensor k = normal({8, 64}, generator, DType::kFloat64);
    const Tensor right = weights_masked_after(q, k, infinite);
    moved = std::max(moved, course::distance(right, weights_masked_before(q, k, infinite)));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double a = leaked(weights_masked_before(q, k, -sizes[i]));
      const double b = leaked(weights_masked_after(q, k, -sizes[i]));
      before[i] += a / static_cast<double>(seeds);
      after[i] += b / static_cast<double>(seeds);
      if (sizes[i] != 20) continue;
      least_before = std::min(least_before, a);
      most_after = std::max(most_after, b);
    }
    const Tensor zeroed = tril(weights_masked_after(q, k, 0));
    const Tensor sums = sum(zeroed, -1, /*keepdims=*/true);
    highest_sum = std::max(highest_sum, mean(sums).item());
    unlike =
        std::max(unlike, course::distance(zeroed / sums, weights_masked_after(q, k, -kInfinity)));
  }
  step.formula("before: (q.k + m) / sqrt(64)      after: q.k / sqrt(64) + m");
  step.formula("m = -inf: -inf / 8 = -inf, so both are the same");
  step.formula("m = -C: before, only C / 8 is left of it; e^(-20/8) = 0.08, e^-20 = 2e-9");
  step.formula("behind softmax: w_ij = 0 for j > i, rows no longer sum to 1");
  auto table = step.table("weight on hidden words, mean over rows, n = 8",
                          {"-C before scaling", "-C after scaling"});
  table.digits({-1, -1});
  std::vector<double> log_before, log_after;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    table.row(fmt::format("C = {}", sizes[i]), {before[i], after[i]});
    log_before.push_back(std::log10(before[i]));
    log_after.push_back(std::log10(after[i]));
  }
  step.number("-inf: before against after", moved, "largest difference of a weight");
  step.number("zeroed behind softmax, row sum", highest_sum, "mean, the model with most", 3);
  step.number("such rows / their sums", unlike, "against -inf: rescaled they agree again");
  step.picture(course::Curves("log10 of the weight on hidden words", "C"))
      .series("before scaling", sizes, log_before)
      .series("after scaling", sizes, log_after);
  step.predict("-inf is added before the scores are scaled, not after. How much leaks?",
               {"nothing: the weights are the same", "some"}, moved == 0 ? 0 : 1);
  step.check("zeroing behind softmax is mended by rescaling", unlike < 1e-14);
  step.claim("B50", Evidence::kTensor, seeds * 64)
      .seeds(static_cast<int>(seeds))
      .as_stated(moved > 0)
      .right(moved == 0 && least_before > 0.01 && most_after < 1e-6 && highest_sum < 0.9)
      .value(moved)
      .expected("-inf: 0; -20: before > 0.01, after < 1e-6; zeroed: sums < 0.9")
      .tolerance("exact")
      .found(fmt::format("-inf differs by {:.2g}; -20 leaks {:.2g} before, {:.1g} after", moved,
                         least_before, most_after));
  step.why(
      "Scaling leaves -inf as it is, so the order is free. It counts for a finite -C, and behind "
      "softmax the shares of the past are too small.");
  step.try_next({"./gradwalk run 9 --claim=B50 --break=small-infinity",
                 "./gradwalk run 9 --claim=B50 --predict"});
}

}  // namespace gradwalk::lesson_09
