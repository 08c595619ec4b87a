#include "lessons/05_scaling/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_05 {
namespace {

constexpr DType kF64 = DType::kFloat64;

TEST(PairScores, AreSumsThatAreReadOffOnTheirWay) {
  const Tensor all = pair_scores({2, 5}, 3, {}, Generator(1, "pairs"));
  Generator same(1, "pairs");
  const Tensor q = to(normal({3, 5}, same), kF64), k = to(normal({3, 5}, same), kF64);
  const Tensor products = q * k;
  for (std::int64_t pair = 0; pair < 3; ++pair) {
    const Tensor row = select(products, 0, pair);
    EXPECT_NEAR(all.at({0, pair}), row.at({0}) + row.at({1}), 1e-5);
    EXPECT_NEAR(all.at({1, pair}), sum(row).item(), 1e-5);
  }
}

TEST(PairScores, HaveTheMeanAndVarianceOfTheFormula) {
  const Tensor s = pair_scores({16}, 4000, {.mean = 0.5, .deviation = 2}, Generator(2, "pairs"));
  EXPECT_NEAR(mean(s).item(), 16 * 0.25, 5 * std::sqrt(16 * 18.0 / 4000));
  EXPECT_NEAR(variance(s) / (16 * (4.25 * 4.25 - 0.0625)), 1, 5 * std::sqrt(3.0 / 4000));
}

TEST(Scores, AreCountedBySize) {
  const Tensor s = vector({0, -1, 2, -3}, kF64);
  EXPECT_EQ(share_between(s, -1, 0), 0.25);
  EXPECT_EQ(share_between(s, 0, 2), 0.5);
  EXPECT_EQ(share_between(s, 2, 1e9), 0.25);
  EXPECT_EQ(quantile(s, 0), 0);
  EXPECT_EQ(quantile(s, 0.75), 3);
  EXPECT_DOUBLE_EQ(variance(s), 3.25);
}

TEST(JacobianNorms, AreThoseOfTheMatrix) {
  const Tensor norms = jacobian_norms(matrix({{0.5, 0.5, 0}, {1, 0, 0}, {0.2, 0.3, 0.5}}, kF64));
  EXPECT_DOUBLE_EQ(norms.at({0}), 0.5);
  EXPECT_EQ(norms.at({1}), 0);
  // Diagonal 0.16, 0.21, 0.25; the others 0.06, 0.10, 0.15, twice each.
  EXPECT_NEAR(norms.at({2}), std::sqrt(0.0256 + 0.0441 + 0.0625 + 2 * (0.0036 + 0.01 + 0.0225)),
              1e-15);
}

TEST(Saturation, TellsFlatRowsFromDeadOnes) {
  const Tensor scores = matrix({{0, 0}, {0, 100}}, kF64);
  const Saturation s = saturation_of(scores);
  EXPECT_NEAR(s.entropy, std::log(2.0) / 2, 1e-12);
  EXPECT_NEAR(s.max_weight, 0.75, 1e-12);
  EXPECT_NEAR(s.jacobian, 0.25, 1e-12);
  EXPECT_EQ(s.dead, 0.5);
  EXPECT_EQ(s.tiny, 0.25);
  const Saturation both = mean_of({s, saturation_of(matrix({{0, 0}, {0, 0}}, kF64))});
  EXPECT_EQ(both.dead, 0.25);
}

TEST(FirstGap, IsFoundByHalving) {
  EXPECT_NEAR(first_gap([](double gap) { return gap >= 3.25; }, 10), 3.25, 1e-6);
  EXPECT_EQ(first_gap([](double) { return false; }, 10), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace gradwalk::lesson_05
