#include "nn/diagnostics/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

constexpr DType kF64 = DType::kFloat64;

TEST(KlDivergence, ByHand) {
  const Tensor p = matrix({{0.5, 0.5, 0}, {0.25, 0.75, 0}}, kF64);
  const Tensor q = matrix({{0.25, 0.25, 0.5}, {0.25, 0.75, 0}}, kF64);
  const Tensor kl = kl_divergence(p, q);
  EXPECT_EQ(kl.shape(), Shape({2}));
  EXPECT_NEAR(kl.at({0}), std::log(2), 1e-15);
  EXPECT_EQ(kl.at({1}), 0);
}

TEST(KlDivergence, IsInfiniteForWhatWasThoughtImpossible) {
  EXPECT_EQ(kl_divergence(vector({0.5, 0.5}), vector({1, 0})).item(), INFINITY);
}

TEST(KlDivergence, ShowsNanAndNegativeNumbers) {
  EXPECT_TRUE(std::isnan(kl_divergence(vector({0, 1}), vector({NAN, 1})).item()));
  EXPECT_TRUE(std::isnan(kl_divergence(vector({0, 1}), vector({-0.5, 1.5})).item()));
  EXPECT_TRUE(std::isnan(kl_divergence(vector({-1, 2}), vector({0.5, 0.5})).item()));
}

TEST(KlDivergenceError, NamesBothShapes) {
  EXPECT_THAT(
      [] {
        kl_divergence(zeros({2, 3}), zeros({3}));
      },
      ThrowsMessage<ShapeError>("kl_divergence: expected p and q of one shape, ndim >= 1, "
                                "got [2, 3] and [3]; p=[2, 3] q=[3]"));
  EXPECT_THROW(kl_divergence(zeros({2}), zeros({2}, kF64)), std::invalid_argument);
}

TEST(TotalVariation, ByHand) {
  const Tensor p = matrix({{0.5, 0.5, 0}, {0.25, 0.75, 0}, {1, 0, 0}}, kF64);
  const Tensor q = matrix({{0.25, 0.25, 0.5}, {0.25, 0.75, 0}, {0, 0.5, 0.5}}, kF64);
  EXPECT_THAT(total_variation(p, q).to_vector(), testing::ElementsAre(0.5, 0, 1));
  EXPECT_TRUE(std::isnan(total_variation(vector({0, 1}), vector({NAN, 1})).item()));
}

TEST(TotalVariationError, NamesBothShapes) {
  EXPECT_THAT(
      [] {
        total_variation(zeros({2, 3}), zeros({3}));
      },
      ThrowsMessage<ShapeError>("total_variation: expected p and q of one shape, ndim >= 1, "
                                "got [2, 3] and [3]; p=[2, 3] q=[3]"));
}

}  // namespace
}  // namespace gradwalk::nn
