#include "nn/diagnostics/value_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A weight of 0.75 on a token that does nothing; what is hidden behind a weight of 0 is not read.
TEST(ValueUse, AWeightIsNotAUse) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor weights = reshape(vector({0.75, 0.125, 0.125, 0}, dtype), {1, 1, 1, 4});
    const Tensor value =
        reshape(matrix({{0, 0}, {3, 4}, {0, -15}, {kInfinity, 1}}, dtype), {1, 1, 4, 2});
    EXPECT_THAT(weighted_value_norms(weights, value).to_vector(), ElementsAre(0, 0.625, 1.875, 0));
    EXPECT_THAT(value_use(weights, value).to_vector(), ElementsAre(0, 0.25, 0.75, 0));
    EXPECT_EQ(value_use(weights, value).dtype(), dtype);
  }
}

TEST(WeightedValueNorms, QueryHeadsOfAGroupShareItsValues) {
  const Tensor weights = reshape(vector({1, 1, 0.5, 0.5}), {1, 4, 1, 1});
  const Tensor value = reshape(vector({2, -4}), {1, 2, 1, 1});
  EXPECT_THAT(weighted_value_norms(weights, value).to_vector(), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(weighted_value_norms(ones({1, 4, 1, 1}), value).to_vector(), ElementsAre(2, 2, 4, 4));
}

TEST(ValueUse, OfNothingIsZeroAndNanStaysVisible) {
  EXPECT_THAT(value_use(ones({1, 1, 1, 2}), zeros({1, 1, 2, 3})).to_vector(), ElementsAre(0, 0));
  const Tensor value = reshape(vector({std::nan(""), 1}), {1, 1, 2, 1});
  EXPECT_TRUE(std::isnan(value_use(ones({1, 1, 1, 2}), value).at({0, 0, 0, 0})));
}

TEST(ValueUseError, NamesTheFunction) {
  EXPECT_THAT(
      [] {
        value_use(zeros({1, 3, 1, 2}), zeros({1, 2, 2, 4}));
      },
      ThrowsMessage<ShapeError>(
          "value_use: expected weights [B, H, T, S] and value [B, G, S, E], H a multiple of "
          "G, got [1, 3, 1, 2] and [1, 2, 2, 4]; weights=[1, 3, 1, 2] value=[1, 2, 2, 4]"));
  EXPECT_THROW(value_use(zeros({1, 2, 1, 2}), zeros({1, 2, 3, 4})), ShapeError);
  EXPECT_THAT(
      [] {
        weighted_value_norms(zeros({1, 1, 1, 1}), zeros({1, 1, 1, 1}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_value_norms: expected one dtype for weights and value, got float32 and "
          "float64; weights=[1, 1, 1, 1] value=[1, 1, 1, 1]"));
  EXPECT_THROW(value_use(Tensor(), zeros({1, 1, 1, 1})), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
