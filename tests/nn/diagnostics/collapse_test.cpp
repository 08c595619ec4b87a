#include "nn/diagnostics/collapse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

// Of six pairs only (2, 2.5) is too close.
TEST(OrderedPairs, ByHand) {
  const Tensor z = vector({0, 2, 2.5, 5});
  EXPECT_NEAR(ordered_pairs(z), 5 / 6.0, 1e-15);
  EXPECT_EQ(ordered_pairs(z, /*margin=*/0), 1);
  EXPECT_NEAR(ordered_pairs(z, /*margin=*/2.5), 2 / 6.0, 1e-15);  // 2.5 apart is not past it
  EXPECT_EQ(ordered_pairs(vector({3, 2, 1}), /*margin=*/0), 0);
  EXPECT_EQ(ordered_pairs(vector({1, 1, 1}), /*margin=*/0), 0);
  EXPECT_TRUE(std::isnan(ordered_pairs(vector({0, std::nan(""), 5}))));
}

// Variances 1/2 of (0, 1) and 5/3 of (0, 1, 2, 3).
TEST(LowHalfSpread, ByHand) {
  EXPECT_NEAR(low_half_spread(vector({0, 1, 2, 3})), std::sqrt(0.3), 1e-15);
  EXPECT_EQ(low_half_spread(vector({7, 7, 2, 3})), 0);
  EXPECT_EQ(low_half_spread(vector({0.1, 0.1, 0.1, 0.1})), 0);
  EXPECT_EQ(low_half_spread(vector({0, 1, 9, 2, 3})), low_half_spread(vector({0, 1, 2, 3, 9})));
  EXPECT_TRUE(std::isnan(low_half_spread(vector({1, 1, std::nan(""), 0}))));
}

// 10 within, 8 and 6 to the other point.
TEST(WithinBetweenDistance, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    EXPECT_NEAR(within_between_distance(matrix({{0, 0}, {6, 8}}, dtype), matrix({{0, 8}}, dtype)),
                10 / 7.0, 1e-15);
  }
  // Three points on a line: distances 1, 2, 3 within; 4, 3, 1 and 3, 4, 6 between.
  EXPECT_NEAR(within_between_distance(matrix({{0}, {1}, {3}}), matrix({{4}, {-3}})), 2 / 3.5,
              1e-15);
}

TEST(WithinBetweenDistance, OfOnePointIsZeroAndNanStaysVisible) {
  const Tensor point = matrix({{1, 2}, {1, 2}});
  EXPECT_EQ(within_between_distance(point, matrix({{0, 0}})), 0);
  EXPECT_EQ(within_between_distance(point, point), 0);
  EXPECT_TRUE(std::isnan(within_between_distance(point, matrix({{0, std::nan("")}}))));
  EXPECT_TRUE(std::isnan(within_between_distance(matrix({{0, std::nan("")}, {0, 0}}), point)));
}

TEST(EffectiveRank, ByHand) {
  EXPECT_NEAR(effective_rank(matrix({{3, 4}, {6, 8}, {-3, -4}})), 1, 1e-7);  // one line
  EXPECT_NEAR(effective_rank(matrix({{2, 0, 0}, {0, 2, 0}})), 2, 1e-12);
  // Singular values 3 and 1: shares 3/4 and 1/4.
  const double want = std::exp(-0.75 * std::log(0.75) - 0.25 * std::log(0.25));
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    EXPECT_NEAR(effective_rank(matrix({{0, 3}, {1, 0}, {0, 0}}, dtype)), want, 1e-12);
  }
  EXPECT_EQ(effective_rank(zeros({3, 2})), 0);
}

TEST(CollapseError, NamesTheFunction) {
  EXPECT_THAT(
      [] { effective_rank(zeros({4})); },
      ThrowsMessage<ShapeError>("effective_rank: expected points [N, D], got [4]; points=[4]"));
  EXPECT_THAT(
      [] { ordered_pairs(zeros({1})); },
      ThrowsMessage<ShapeError>("ordered_pairs: expected scores [N], N >= 2, got [1]; scores=[1]"));
  EXPECT_THAT(
      [] {
        low_half_spread(zeros({4, 4}));
      },
      ThrowsMessage<ShapeError>(
          "low_half_spread: expected scores [N], N >= 4, got [4, 4]; scores=[4, 4]"));
  EXPECT_THAT(
      [] {
        within_between_distance(zeros({1, 2}), zeros({3, 2}));
      },
      ThrowsMessage<ShapeError>(
          "within_between_distance: expected group [N, D], N >= 2, and others [M, D], M >= "
          "1, got [1, 2] and [3, 2]; group=[1, 2] others=[3, 2]"));
  EXPECT_THROW(within_between_distance(zeros({2, 1}), zeros({3, 2})), ShapeError);
  EXPECT_THROW(ordered_pairs(arange(0, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
