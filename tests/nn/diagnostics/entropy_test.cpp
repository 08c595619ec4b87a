#include "nn/diagnostics/entropy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ThrowsMessage;

// A masked key has weight 0, and 0 log 0 computed as it stands is NaN, which took the whole row
// with it. (BR-39)
TEST(Entropy, OfZeroWeights) {
  const nlohmann::json report = test::bug_report("BR-39");
  GRADWALK_SKIP_WITHOUT(report);
  const nlohmann::json& in = report["inputs"];
  const nlohmann::json& want = report["expected"];
  for (const DType dtype : {DType::kFloat64, DType::kFloat32}) {
    const double rtol = dtype == DType::kFloat64 ? 1e-9 : 1e-5;
    const double atol = dtype == DType::kFloat64 ? 1e-11 : 1e-6;
    const Tensor weights = test::tensor_from(in["weights"], dtype);
    EXPECT_EQ(
        test::difference(entropy(weights), test::tensor_from(want["entropy"], dtype), rtol, atol),
        "");
    const Tensor lengths = to(test::tensor_from(in["causal_lengths"]), DType::kInt64);
    const Tensor visible = less(unsqueeze(arange(0, 4), 0), unsqueeze(lengths, 1));
    const Tensor shares = normalized_entropy(weights, visible);
    EXPECT_EQ(shares.at({0}), 0);
    const Tensor others =
        test::tensor_from(want["normalised_by_log_of_causal_length"]["others"], dtype);
    EXPECT_EQ(test::difference(slice(shares, 0, 1, 4), others, rtol, atol), "");
  }
}

TEST(Entropy, IsNotBelowZeroWhereAWeightIsRoundedUp) {
  EXPECT_EQ(entropy(vector({1 + 1e-7, 0})).item(), 0);
}

TEST(Entropy, OfStridedRowsAndOfNoKeys) {
  const Tensor columns = transpose(matrix({{1, 0.5}, {0, 0.5}}));
  EXPECT_THAT(entropy(columns).to_vector(), ElementsAre(0, DoubleNear(std::log(2.0), 1e-7)));
  EXPECT_THAT(entropy(zeros({2, 0})).to_vector(), ElementsAre(0, 0));
  EXPECT_EQ(entropy(zeros({3})).item(), 0);  // a fully masked row
}

TEST(Entropy, NanAndNegativeWeightsStayVisible) {
  const Tensor y = entropy(matrix({{std::nan(""), 1}, {-0.5, 1.5}, {1, 0}}));
  EXPECT_TRUE(std::isnan(y.at({0})));
  EXPECT_TRUE(std::isnan(y.at({1})));
  EXPECT_EQ(y.at({2}), 0);
}

TEST(NormalizedEntropy, CountsVisibleKeysAlone) {
  const Tensor weights = matrix({{0.5, 0.5, 0}, {0.5, 0.5, 0}, {1, 0, 0}, {0, 0, 0}});
  const Tensor visible = matrix({{1, 1, 0}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0}}, DType::kBool);
  EXPECT_THAT(normalized_entropy(weights, visible).to_vector(),
              ElementsAre(1, DoubleNear(std::log(2) / std::log(3), 1e-7), 0, 0));
}

TEST(NormalizedEntropy, NanStaysVisible) {
  EXPECT_TRUE(
      std::isnan(normalized_entropy(vector({std::nan(""), 1}), full({1}, 1, DType::kBool)).item()));
}

// Head 0 spreads evenly where it can, head 1 never: the first query has no choice and does not
// count.
TEST(HeadEntropy, IsTheMeanOverQueriesThatHaveAChoice) {
  const Tensor weights =
      reshape(vector({1, 0, 0.5, 0.5, 1, 0, 1, 0}, DType::kFloat64), {1, 2, 2, 2});
  const Tensor causal = matrix({{1, 0}, {1, 1}}, DType::kBool);
  EXPECT_THAT(head_entropy(weights, causal).to_vector(), ElementsAre(1, 0));
  const Tensor all = full({1}, 1, DType::kBool);
  EXPECT_THAT(head_entropy(weights, all).to_vector(), ElementsAre(0.5, 0));
  EXPECT_TRUE(std::isnan(head_entropy(ones({1, 1, 1, 1}), all).item()));
}

TEST(EntropyError, NamesTheFunction) {
  const Tensor all = full({1}, 1, DType::kBool);
  EXPECT_THAT([] { entropy(scalar(1)); },
              ThrowsMessage<ShapeError>("entropy: expected ndim >= 1, got 0; probs=[]"));
  EXPECT_THAT([] { entropy(arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>(
                  "entropy: expected float32 or float64, got int64; probs=[2]"));
  EXPECT_THAT(
      [] {
        normalized_entropy(ones({2, 3}), full({2}, 1, DType::kBool));
      },
      ThrowsMessage<ShapeError>(
          "normalized_entropy: expected visible that broadcasts to the shape of weights, "
          "got [2]; weights=[2, 3] visible=[2]"));
  EXPECT_THAT(
      [&] {
        head_entropy(ones({2, 3}), all);
      },
      ThrowsMessage<ShapeError>(
          "head_entropy: expected weights [B, H, T, S], got [2, 3]; weights=[2, 3]"));
  EXPECT_THROW(entropy(Tensor()), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
