#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Step;

// The share of the farther of two keys, `gap` behind in score, by the library's softmax.
double far_share(double gap, DType dtype) {
  return softmax(from_vector({0, -gap}, {2}, dtype), /*axis=*/-1).at({1});
}

}  // namespace

void never_zero(Step& step) {
  const bool masked = step.broken("hard-mask");
  const double hidden = -std::numeric_limits<double>::infinity();
  const auto share = [&](double gap, DType dtype) {
    return masked ? softmax(from_vector({0, hidden}, {2}, dtype), -1).at({1})
                  : far_share(gap, dtype);
  };
  const auto zero_from = [&](DType dtype) {
    return first_gap([&](double gap) { return share(gap, dtype) == 0; }, /*limit=*/1000);
  };
  const double library = zero_from(DType::kFloat32), library64 = zero_from(kF64);
  const double plain =
      first_gap([](double gap) { return std::exp(-static_cast<float>(gap)) == 0; }, /*limit=*/1000);
  const double plain64 = first_gap([](double gap) { return std::exp(-gap) == 0; }, 1000);
  const double edge = 150 * std::log(2.0), normal_edge = 126 * std::log(2.0);
  step.formula("two keys, scores 0 and -gap      w = 1 / (1 + e^gap)");
  step.formula("for real numbers w > 0; float32 has no number between 0 and 2^-149,");
  step.formula("and few digits below 2^-126, where fast kernels may stop");
  step.predict("In float32, by which gap in score is the weight exactly 0?",
               {"never", "about 10", "about 100", "about 1000"},
               std::isinf(library) ? 0
               : library < 30      ? 1
               : library < 300     ? 2
                                   : 3);
  const double ln2 = std::log(2.0);
  step.table("first gap whose weight is exactly 0", {"gap", "w = 2^-"})
      .digits({3, 1})
      .row("softmax, float32", {library, library / ln2}, "our softmax stops at 2^-126")
      .row("std::exp, float32", {plain, plain / ln2}, "rounds to 0 below half of 2^-149")
      .row("softmax, float64", {library64, library64 / ln2}, "it stops at 2^-1022")
      .row("std::exp, float64", {plain64, plain64 / ln2});
  const double mask32 = softmax(from_vector({0, hidden}, {2}), -1).at({1});
  step.number("weight of a masked key", mask32, "score -inf: exactly 0, at any gap");
  auto table = step.table("64 x 64 random scores", {"share of weights that are 0"});
  std::vector<double> zeros;
  for (const double deviation : {1.0, 3.0, 10.0, 30.0, 100.0}) {
    std::vector<double> shares;
    for (std::int64_t seed = 0; seed < step.whole("seeds"); ++seed) {
      Generator gen = step.generator(fmt::format("scores {}", seed));
      const Tensor w = softmax(normal({64, 64}, gen) * deviation, -1);
      shares.push_back(share_between(to(w, kF64), -1, 0));
    }
    zeros.push_back(course::spread_of(shares).mean);
    table.digits(3).row(fmt::format("std {}", deviation), {zeros.back()},
                        deviation == 1 ? "scaled scores: none" : "");
  }
  std::vector<double> gaps, logs;
  for (double gap = 0; gap < library && gap <= 120; gap += 2) {
    const double w = share(gap, DType::kFloat32);
    if (w == 0) break;
    gaps.push_back(gap);
    logs.push_back(std::log10(w));
  }
  if (gaps.size() > 1) {
    step.picture(course::Curves("log10 of the weight; it ends where float32 says 0",
                                "gap in score, nats"))
        .series("weight", gaps, logs);
  }
  const bool within = library > normal_edge - 0.01 && library < edge + 0.01;
  step.claim("B33", Evidence::kTensor, /*cases=*/2)
      .as_stated(std::isinf(library))
      .right(within && std::abs(plain - edge) < 0.01 && mask32 == 0 && zeros[0] == 0)
      .value(library)
      .expected(fmt::format("std::exp: 0 from {:.3f} on; a kernel: from {:.3f} at the earliest",
                            edge, normal_edge))
      .tolerance("0.01: rounding of the gap and of exp")
      .found(fmt::format("first exact 0 at {:.3f}, std::exp {:.3f}", library, plain));
  step.why(
      "The formula never gives 0, a number of 32 bits does. At scaled scores no gap is that large; "
      "who wants a 0 for sure masks the key.");
  step.try_next({"./gradwalk run 5 --claim=B33 --break=hard-mask"});
}

}  // namespace gradwalk::lesson_05
