#include "nn/diagnostics/head_contribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

const Tensor kOutputWeight = matrix({{1, 10}, {5, 0}});  // two heads of width 1

TEST(HeadContributions, ByHand) {
  const Tensor x = reshape(vector({2, 3}), {1, 2, 1, 1});
  const Tensor y = head_contributions(x, kOutputWeight);
  EXPECT_EQ(y.shape(), Shape({1, 2, 1, 2}));
  EXPECT_THAT(y.to_vector(), ElementsAre(2, 10, 30, 0));
}

// Values of grouped heads: two query heads share one, each with columns of its own.
TEST(HeadContributions, OfAGroupGoThroughTheColumnsOfEachQueryHead) {
  const Tensor y = head_contributions(full({1, 1, 1, 1}, 2), kOutputWeight);
  EXPECT_THAT(y.to_vector(), ElementsAre(2, 10, 20, 0));
  const Tensor x = reshape(vector({1, 100}), {1, 2, 1, 1});
  const Tensor weight = matrix({{1, 2, 3, 4}});
  EXPECT_THAT(head_contributions(x, weight).to_vector(), ElementsAre(1, 2, 300, 400));
}

// A head whose values are a thousand times longer while its columns of W_O are as much shorter.
TEST(HeadContributions, AreBlindToScaleThatCancels) {
  const Tensor x = reshape(vector({2, 3}, DType::kFloat64), {1, 2, 1, 1});
  const Tensor weight = to(kOutputWeight, DType::kFloat64);
  EXPECT_EQ(test::difference(head_contributions(x * 1000, weight / 1000),
                             head_contributions(x, weight), 1e-15),
            "");
}

TEST(OutputShare, ByHand) {
  const Tensor y = reshape(vector({2, 10, 30, 0}), {1, 2, 1, 2});
  const Tensor share = output_share(y);
  EXPECT_NEAR(share.at({0}), 104 / 1004.0, 1e-7);
  EXPECT_NEAR(share.at({1}), 900 / 1004.0, 1e-7);
}

TEST(OutputShare, OfNothingIsZeroAndNanStaysVisible) {
  EXPECT_THAT(output_share(zeros({2, 3, 1, 4})).to_vector(), ElementsAre(0, 0, 0));
  EXPECT_TRUE(std::isnan(output_share(full({1, 1, 1, 1}, std::nan(""))).item()));
}

TEST(HeadContributionError, NamesTheFunction) {
  EXPECT_THAT(
      [] {
        head_contributions(zeros({1, 3, 1, 1}), kOutputWeight);
      },
      ThrowsMessage<ShapeError>(
          "head_contributions: expected x [B, G, T, Dh] and o_weight [D, H Dh], H a multiple "
          "of G, got [1, 3, 1, 1] and [2, 2]; x=[1, 3, 1, 1] o_weight=[2, 2]"));
  EXPECT_THAT(
      [] {
        head_contributions(zeros({1, 2, 1, 1}, DType::kFloat64), kOutputWeight);
      },
      ThrowsMessage<std::invalid_argument>(
          "head_contributions: expected one dtype for x and o_weight, got float64 and "
          "float32; x=[1, 2, 1, 1] o_weight=[2, 2]"));
  EXPECT_THAT(
      [] {
        output_share(zeros({2, 2}));
      },
      ThrowsMessage<ShapeError>("output_share: expected contributions [B, H, T, D], got "
                                "[2, 2]; contributions=[2, 2]"));
  EXPECT_THROW(head_contributions(Tensor(), kOutputWeight), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
