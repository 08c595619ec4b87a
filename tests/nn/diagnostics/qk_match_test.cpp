#include "nn/diagnostics/qk_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

const Tensor kGroup = vector({1, 1, 0, 0, 0}, DType::kBool);
const Tensor kControl = vector({0, 0, 1, 1, 0}, DType::kBool);

Tensor keys(DType dtype = DType::kFloat64) {
  return matrix({{3, 4}, {4, 3}, {-3, -4}, {0, 0}, {7, -1}}, dtype);
}

// Cosines 1, 0.96 against -1, 0: gap 1.48, pooled variance (0.0008 + 0.5) / 2.
TEST(QkMatch, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double tolerance = dtype == DType::kFloat32 ? 1e-6 : 1e-14;
    const QkMatch match = qk_match(vector({3, 4}, dtype), keys(dtype), kGroup, kControl);
    EXPECT_EQ(test::difference(match.cosines, vector({1, 0.96, -1, 0, 17 / std::sqrt(1250)}, dtype),
                               tolerance),
              "");
    const double scale = 1 / std::sqrt(2.0);
    EXPECT_EQ(test::difference(match.logits,
                               vector({25 * scale, 24 * scale, -25 * scale, 0, 17 * scale}, dtype),
                               tolerance),
              "");
    EXPECT_NEAR(match.of_cosines.gap, 1.48, 1e-14);
    EXPECT_NEAR(match.of_cosines.cohens_d, 1.48 / std::sqrt(0.2504), 1e-13);
    EXPECT_NEAR(match.of_cosines.welch.t, 1.48 / std::sqrt(0.2504), 1e-13);
    EXPECT_NEAR(match.of_logits.gap, 37 * scale, 1e-13);
  }
}

// Query and keys in another basis, A = diag(2, 1/2) on one side and its inverse on the other: the
// model is the same, and so are the logits.
TEST(QkMatch, OfAnotherBasisHasTheSameLogitsAndOtherCosines) {
  const QkMatch before =
      qk_match(vector({3, 4}, DType::kFloat64), keys(), kGroup, kControl, /*scale=*/1);
  const Tensor turned = matrix({{1.5, 8}, {2, 6}, {-1.5, -8}, {0, 0}, {3.5, -2}}, DType::kFloat64);
  const QkMatch after =
      qk_match(vector({6, 2}, DType::kFloat64), turned, kGroup, kControl, /*scale=*/1);
  EXPECT_EQ(test::difference(after.logits, before.logits, 0), "");
  EXPECT_EQ(after.of_logits.gap, 37);
  EXPECT_NEAR(after.cosines.at({1}), 0.6, 1e-15);  // 24 / 40
  EXPECT_LT(after.of_cosines.gap, 1.1);
}

TEST(QkMatch, PoolsTheTokensOfABatch) {
  const Tensor queries = matrix({{3, 4}, {-3, -4}}, DType::kFloat64);  // [2, Dh]
  const QkMatch match = qk_match(queries, keys(), kGroup, kControl);
  EXPECT_EQ(match.cosines.shape(), Shape({2, 5}));
  EXPECT_EQ(match.of_cosines.group.count, 4);
  EXPECT_NEAR(match.of_cosines.gap, 0, 1e-15);
  const QkMatch one =
      qk_match(slice(queries, 0, 0, 1), expand(keys(), {2, 5, 2}), kGroup, kControl);
  EXPECT_NEAR(one.of_cosines.gap, 1.48, 1e-14);
}

TEST(QkMatch, NanStaysVisible) {
  const QkMatch match =
      qk_match(vector({3, std::nan("")}, DType::kFloat64), keys(), kGroup, kControl);
  EXPECT_TRUE(std::isnan(match.cosines.at({0})));
  EXPECT_TRUE(std::isnan(match.of_cosines.gap));
  EXPECT_TRUE(std::isnan(match.of_logits.welch.p));
}

TEST(QkMatchError, NamesTheOperands) {
  const auto match = [](const Tensor& query, const Tensor& k) {
    return [=] { qk_match(query, k, kGroup, kControl); };
  };
  EXPECT_THAT(
      match(zeros({3}), zeros({5, 2})),
      ThrowsMessage<ShapeError>(
          "qk_match: expected query [..., Dh] and keys [..., S, Dh], Dh >= 1, whose axes in "
          "front broadcast, got [3] and [5, 2]; query=[3] keys=[5, 2]"));
  EXPECT_THAT(match(zeros({2}), zeros({5, 2}, DType::kFloat64)),
              ThrowsMessage<std::invalid_argument>(
                  "qk_match: expected one dtype for query and keys, got float32 and float64; "
                  "query=[2] keys=[5, 2]"));
  EXPECT_THAT(
      match(zeros({3, 2}), zeros({2, 5, 2})),
      ThrowsMessage<ShapeError>(
          "qk_match: expected query [..., Dh] and keys [..., S, Dh], Dh >= 1, whose axes in "
          "front broadcast, got [3, 2] and [2, 5, 2]; query=[3, 2] keys=[2, 5, 2]"));
  EXPECT_THROW(match(zeros({2}), zeros({4, 2}))(), ShapeError);
}

}  // namespace
}  // namespace gradwalk::nn
