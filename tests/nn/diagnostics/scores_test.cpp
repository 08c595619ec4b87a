#include "nn/diagnostics/scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

TEST(VisibleKeys, AreAllButThoseAtMinusInfinity) {
  const Tensor visible =
      visible_keys(matrix({{0, kHidden, -1e30}, {std::nan(""), -kHidden, kHidden}}));
  EXPECT_EQ(visible.dtype(), DType::kBool);
  EXPECT_THAT(visible.to_vector(), ElementsAre(1, 0, 1, 1, 1, 0));
  EXPECT_THAT([] { visible_keys(arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>(
                  "visible_keys: expected float32 or float64, got int64; masked_scores=[2]"));
}

// 1, 3, 8: mean 4, squares 9 + 1 + 16, over 2.
TEST(ScoreVariance, OfVisibleKeysByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor scores = matrix({{1, std::nan("")}, {3, 8}}, dtype);
    const Tensor causal = matrix({{1, 0}, {1, 1}}, DType::kBool);
    EXPECT_NEAR(score_variance(scores, causal), 13, 1e-13);
  }
}

// Vaswani et al. 2017, footnote 4. The variance of a sample of N has the standard error
// sqrt(2 / N) of itself, a little more for a sum of 64 products; five of them.
TEST(ScoreVariance, OfIndependentUnitEntriesIsTheHeadsWidth) {
  Generator generator(3, "scores");
  const Tensor q = normal({20000, 64}, generator);
  const Tensor k = normal({20000, 64}, generator);
  const Tensor scores = sum(mul(q, k), /*axes=*/-1);
  const double variance = score_variance(scores, full({1}, 1, DType::kBool));
  EXPECT_NEAR(variance / 64, 1, 5 * std::sqrt((2 + 6 / 64.0) / 20000));
}

TEST(ScoreVariance, OfFewerThanTwoOrWithNanIsNan) {
  const Tensor scores = vector({1, 2, std::nan("")});
  EXPECT_TRUE(std::isnan(score_variance(scores, vector({0, 0, 0}, DType::kBool))));
  EXPECT_TRUE(std::isnan(score_variance(scores, vector({1, 0, 0}, DType::kBool))));
  EXPECT_TRUE(std::isnan(score_variance(scores, vector({1, 1, 1}, DType::kBool))));
  EXPECT_EQ(score_variance(zeros({3}), full({3}, 1, DType::kBool)), 0);
}

TEST(ScoreVarianceError, NamesBothOperands) {
  EXPECT_THAT(
      [] {
        score_variance(zeros({2, 3}), full({2}, 1, DType::kBool));
      },
      ThrowsMessage<ShapeError>(
          "score_variance: expected visible that broadcasts to the shape of scores, got "
          "[2]; scores=[2, 3] visible=[2]"));
  EXPECT_THAT([] { score_variance(zeros({2}), zeros({2})); },
              ThrowsMessage<std::invalid_argument>(
                  "score_variance: expected visible bool, got float32; scores=[2] visible=[2]"));
}

}  // namespace
}  // namespace gradwalk::nn
