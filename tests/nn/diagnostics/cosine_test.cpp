#include "nn/diagnostics/cosine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using testing::ThrowsMessage;

// To save zero vectors from a division by 0, both lengths were raised to eps before they were
// multiplied; in float32 the product of two such lengths is 0 again. (BR-38)
TEST(Cosine, OfZeroEqualAndOppositeVectors) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double tolerance = dtype == DType::kFloat32 ? 1e-6 : 1e-12;
    const auto of = [&](std::initializer_list<double> a, std::initializer_list<double> b) {
      return cosine(vector(a, dtype), vector(b, dtype)).item();
    };
    EXPECT_EQ(of({0, 0}, {1, 2}), 0);
    EXPECT_EQ(of({0, 0}, {0, 0}), 0);
    EXPECT_NEAR(of({3, 4}, {4, 3}), 0.96, tolerance);
    EXPECT_NEAR(of({0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}), 1, tolerance);
    EXPECT_NEAR(of({0.1, 0.2, 0.3}, {-0.1, -0.2, -0.3}), -1, tolerance);
    EXPECT_LE(of({0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}), 1);
    EXPECT_GE(of({0.1, 0.2, 0.3}, {-0.1, -0.2, -0.3}), -1);
  }
}

// Rounding takes some of these past 1.
TEST(Cosine, StaysInItsRange) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    Generator generator(1, "cosine");
    const Tensor x = normal({2000, 3}, generator, dtype);
    EXPECT_THAT(cosine(x, x).to_vector(), Each(AllOf(Ge(1 - 1e-6), Le(1))));
    EXPECT_THAT(cosine(x, neg(x)).to_vector(), Each(AllOf(Ge(-1), Le(-1 + 1e-6))));
  }
}

TEST(Cosine, BroadcastsOverTheAxesBeforeTheLast) {
  const Tensor a = reshape(vector({1, 0, 0, 2}), {2, 1, 2});
  const Tensor b = matrix({{3, 0}, {0, -4}, {0, 0}});
  const Tensor y = cosine(a, b);
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_THAT(y.to_vector(), ElementsAre(1, 0, 0, 0, -1, 0));
}

TEST(Cosine, OfStridedVectors) {
  const Tensor a = transpose(matrix({{3, 1}, {4, 0}}));
  EXPECT_EQ(test::difference(cosine(a, vector({4, 3})), vector({0.96, 0.8}), 1e-6), "");
}

// In float32 the squares of these vanish or overflow: such vectors passed for zero vectors.
TEST(Cosine, OfVeryShortAndVeryLongVectors) {
  for (const double scale : {1e-30, 1e30}) {
    const Tensor a = vector({3 * scale, 4 * scale});
    EXPECT_NEAR(cosine(a, vector({4, 3})).item(), 0.96, 1e-6) << scale;
    EXPECT_NEAR(length(a).item() / scale, 5, 1e-5) << scale;
  }
}

TEST(Cosine, NanStaysVisibleInItsVector) {
  const Tensor y = cosine(matrix({{std::nan(""), 1}, {1, 0}}), vector({1, 0}));
  EXPECT_TRUE(std::isnan(y.at({0})));
  EXPECT_EQ(y.at({1}), 1);
}

TEST(Length, IsThatOfTheVectorsAlongTheLastAxis) {
  EXPECT_THAT(length(matrix({{3, 4}, {0, 0}})).to_vector(), ElementsAre(5, 0));
  EXPECT_THAT(length(zeros({2, 0})).to_vector(), ElementsAre(0, 0));
  EXPECT_EQ(length(vector({3, 4}, DType::kFloat64)).dtype(), DType::kFloat64);
}

TEST(CosineError, NamesTheFunction) {
  EXPECT_THAT(
      [] {
        cosine(zeros({2, 3}), zeros({2}));
      },
      ThrowsMessage<ShapeError>("cosine: expected a.shape[-1] == b.shape[-1], got 3 and 2; "
                                "a=[2, 3] b=[2]"));
  EXPECT_THAT(
      [] {
        cosine(zeros({2, 3}), zeros({1}));
      },
      ThrowsMessage<ShapeError>("cosine: expected a.shape[-1] == b.shape[-1], got 3 and 1; "
                                "a=[2, 3] b=[1]"));
  EXPECT_THAT(
      [] {
        cosine(zeros({2, 3}), zeros({4, 3}));
      },
      ThrowsMessage<ShapeError>("cosine: expected sizes that are equal or 1, aligned at the "
                                "last axis, got 2 and 4 at axis -2; a=[2, 3] b=[4, 3]"));
  EXPECT_THAT([] { cosine(zeros({}), zeros({3})); },
              ThrowsMessage<ShapeError>("cosine: expected ndim >= 1 for a and b, got 0 and 1; "
                                        "a=[] b=[3]"));
  EXPECT_THAT([] { cosine(zeros({3}), zeros({3}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>("cosine: expected one dtype for a and b, got "
                                                   "float32 and float64; a=[3] b=[3]"));
  EXPECT_THAT(
      [] { cosine(arange(0, 2), arange(0, 2)); },
      ThrowsMessage<std::invalid_argument>("cosine: expected float32 or float64, got int64; "
                                           "a=[2] b=[2]"));
  EXPECT_THAT([] { length(zeros({})); },
              ThrowsMessage<ShapeError>("length: expected ndim >= 1, got 0; x=[]"));
  EXPECT_THROW(cosine(Tensor(), zeros({2})), std::invalid_argument);
  EXPECT_THROW(length(Tensor()), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
