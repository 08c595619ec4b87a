#include "nn/diagnostics/head_similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

// Heads (1, 0), (0, 1) and (1/2, 1/2). Against the last, with m = (3/4, 1/4):
// [log2(4/3) + log2(2/3) / 2 + log2(2) / 2] / 2 = 3/2 - 3/4 log2 3 = 0.3112781.
TEST(HeadDivergence, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor weights = reshape(vector({1, 0, 0, 1, 0.5, 0.5}, dtype), {1, 3, 1, 2});
    const double half = 1.5 - 0.75 * std::log2(3);
    const Tensor want = matrix({{0, 1, half}, {1, 0, half}, {half, half, 0}}, dtype);
    const Tensor got = head_divergence(weights);
    EXPECT_EQ(test::difference(got, want, 1e-6), "");
    EXPECT_NEAR(mean_pairwise(got), (2 + 4 * half) / 6, 1e-6);
    EXPECT_NEAR(half, 0.3112781, 1e-7);
  }
}

// Two queries: on one the heads have no key in common, on the other they agree.
TEST(HeadDivergence, IsTheMeanOverQueriesAndBatch) {
  const Tensor weights = reshape(vector({1, 0, 0.3, 0.7, 0, 1, 0.3, 0.7}), {1, 2, 2, 2});
  EXPECT_EQ(head_divergence(weights).at({0, 1}), 0.5);
  const Tensor batch = reshape(vector({1, 0, 0, 1, 1, 0, 1, 0}), {2, 2, 1, 2});
  EXPECT_EQ(head_divergence(batch).at({0, 1}), 0.5);
}

TEST(HeadDivergence, OfMapsThatHardlyDifferIsNotRounding) {
  const double e = 1e-7;
  const Tensor weights =
      reshape(vector({0.5, 0.5, 0.5 + e, 0.5 - e}, DType::kFloat64), {1, 2, 1, 2});
  // To second order sum_j e^2 / (8 p_j ln 2).
  EXPECT_NEAR(head_divergence(weights).at({0, 1}) / (e * e / 2 / std::log(2)), 1, 0.05);
  EXPECT_EQ(head_divergence(weights).at({0, 0}), 0);
}

TEST(HeadDivergence, NanStaysVisible) {
  const Tensor weights = reshape(vector({1, 0, std::nan(""), 0}), {1, 2, 1, 2});
  EXPECT_TRUE(std::isnan(head_divergence(weights).at({0, 1})));
  EXPECT_TRUE(std::isnan(head_divergence(zeros({0, 2, 1, 2})).at({0, 1})));
}

// At the first position the heads write the same way, at the second across each other.
TEST(HeadCosine, ByHand) {
  const Tensor y = reshape(vector({1, 0, 2, 0, 3, 0, 0, 5}), {1, 2, 2, 2});
  EXPECT_THAT(head_cosine(y).to_vector(), ElementsAre(1, 0.5, 0.5, 1));
  EXPECT_EQ(mean_pairwise(head_cosine(y)), 0.5);
  const Tensor silent = reshape(vector({1, 0}), {1, 2, 1, 1});
  EXPECT_THAT(head_cosine(silent).to_vector(), ElementsAre(1, 0, 0, 0));
}

TEST(HeadSimilarityError, NamesTheFunction) {
  EXPECT_THAT(
      [] {
        head_divergence(zeros({2, 2, 2}));
      },
      ThrowsMessage<ShapeError>("head_divergence: expected weights [B, H, T, S], got "
                                "[2, 2, 2]; weights=[2, 2, 2]"));
  EXPECT_THAT(
      [] {
        head_cosine(zeros({2, 2}));
      },
      ThrowsMessage<ShapeError>("head_cosine: expected contributions [B, H, T, D], got "
                                "[2, 2]; contributions=[2, 2]"));
  EXPECT_THAT(
      [] {
        mean_pairwise(zeros({1, 1}));
      },
      ThrowsMessage<ShapeError>("mean_pairwise: expected x [H, H], H >= 2, got [1, 1]; x=[1, 1]"));
  EXPECT_THROW(mean_pairwise(zeros({2, 3})), ShapeError);
  EXPECT_THROW(head_divergence(zeros({1, 1, 1, 1}, DType::kInt64)), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
