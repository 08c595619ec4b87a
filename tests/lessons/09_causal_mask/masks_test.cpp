#include "lessons/09_causal_mask/masks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/attention.h"
#include "lessons/course/engine/measure.h"
#include "tensor/create.h"

namespace gradwalk::lesson_09 {
namespace {

using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FutureMask, IsZeroUpToTheDiagonal) {
  EXPECT_THAT(future_mask(2, -kInfinity).to_vector(), ElementsAre(0, -kInfinity, 0, 0));
}

TEST(MaskPlace, CountsAnEighthBeforeScaling) {
  const Tensor none = zeros({2, 64}, DType::kFloat64);  // all scores 0
  const auto share = [](double c) { return std::exp(-c) / (1 + std::exp(-c)); };
  EXPECT_NEAR(weights_masked_after(none, none, -4).at({0, 1}), share(4), 1e-15);
  EXPECT_NEAR(weights_masked_before(none, none, -4).at({0, 1}), share(0.5), 1e-15);
  EXPECT_EQ(weights_masked_before(none, none, -kInfinity).at({0, 1}), 0);
}

TEST(Leaked, IsTheMeanOfWhatStandsAboveTheDiagonal) {
  EXPECT_DOUBLE_EQ(leaked(matrix({{0.5, 0.5}, {0.25, 0.75}}, DType::kFloat64)), 0.25);
}

TEST(MaskEffect, IsExactWithMinusInfinityAndNotWithANumber) {
  const MaskEffect exact = mask_effect(1, -kInfinity);
  EXPECT_EQ(exact.hidden, 0);
  EXPECT_EQ(exact.projections, 0);
  EXPECT_EQ(exact.influence, 0);
  EXPECT_LT(exact.renormalised, 1e-6);
  const MaskEffect finite = mask_effect(1, -5);
  EXPECT_GT(finite.hidden, 0);
  EXPECT_GT(finite.influence, 0);
  EXPECT_GT(finite.renormalised, 1e-6);
}

TEST(MaskEffect, WithoutAMaskNothingMoves) {
  const MaskEffect none = mask_effect(1, 0);
  EXPECT_EQ(none.second_layer, 0);
  EXPECT_DOUBLE_EQ(none.projections, 0);
  EXPECT_GT(none.future, 0.1);
}

TEST(MapTraffic, CountsWhatEachPartReadsAndWrites) {
  const Tensor x = ones({1, 3, 2});
  const NoGrad no_grad;
  const auto moved = [&](const Tensor& mask) {
    const MapTraffic traffic(3);
    weighted_values(attention_weights(x, x, {.additive_mask = mask}), x);
    return traffic.numbers();
  };
  EXPECT_EQ(moved({}), 6 * 9);
  EXPECT_EQ(moved(future_mask(3, -kInfinity)), 9 * 9);
  const MapTraffic fused(3);
  attention(Variable(x), Variable(x), Variable(x), {.causal = true});
  EXPECT_EQ(fused.numbers(), 0);
}

}  // namespace
}  // namespace gradwalk::lesson_09
