#include "tensor/mse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/mse.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr LossReduction kSum = LossReduction::kSum;

LossReduction reduction_of(RandomCase& c) { return c.below(2) == 0 ? LossReduction::kMean : kSum; }

// Summands are not negative, so the sum is its own size.
TEST(Mse, EqualsTheReference) {
  for_each_case("mse", 420, [](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor prediction = c.tensor(shape);
    const Tensor target = c.tensor(shape);
    const LossReduction reduction = reduction_of(c);
    const Tensor want = reference::mse(prediction, target, reduction);
    const Tensor size = test::finite_sizes(want);
    const auto n = static_cast<double>(shape.numel());
    const Tensor loss = mse(prediction, target, reduction);
    EXPECT_EQ(test::difference(loss, want,
                               test::sum_bound(size, DType::kFloat64, n + 2) +
                                   test::sum_bound(size, c.dtype(), 1)),
              "");
    EXPECT_EQ(loss.dtype(), c.dtype());
    EXPECT_EQ(loss.ndim(), 0);
  });
}

// No sum: five operations in float64, whose products may leave its range on the way, then one
// rounding.
TEST(MseBackward, EqualsTheReference) {
  for_each_case("mse_backward", 420, [](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor prediction = c.tensor(shape);
    const Tensor target = c.tensor(shape);
    const LossReduction reduction = reduction_of(c);
    const Tensor dy = scalar(c.generator().normal(), c.dtype());
    const Tensor want = reference::mse_backward(prediction, target, dy, reduction);
    const Tensor size = test::finite_sizes(want);
    const Tensor wide = (test::finite_sizes(prediction) + test::finite_sizes(target)) * 8.0;
    std::vector<double> unclear;
    for (const double value : wide.to_vector()) unclear.push_back(std::isinf(value) ? kInf : 0);
    EXPECT_EQ(test::difference(mse_backward(prediction, target, dy, reduction), want,
                               test::sum_bound(size, DType::kFloat64, 5) +
                                   test::sum_bound(size, c.dtype(), 1) +
                                   from_vector(unclear, shape, DType::kFloat64)),
              "");
  });
}

TEST(Mse, SmallCasesByHand) {
  const Tensor prediction = vector({1, 2, 3, 4}, DType::kFloat64);
  const Tensor target = vector({1, 0, 4, 1}, DType::kFloat64);  // errors 0, 2, -1, 3
  EXPECT_EQ(mse(prediction, target).item(), 3.5);
  EXPECT_EQ(mse(prediction, target, kSum).item(), 14);
  const Tensor dy = scalar(2, DType::kFloat64);
  EXPECT_THAT(mse_backward(prediction, target, dy).to_vector(), ElementsAre(0, 2, -1, 3));
  EXPECT_THAT(mse_backward(prediction, target, dy, kSum).to_vector(), ElementsAre(0, 8, -4, 12));
  EXPECT_EQ(mse(scalar(5), scalar(2)).item(), 9);
}

TEST(Mse, OfNothingIsZero) {
  for (const LossReduction reduction : {LossReduction::kMean, kSum}) {
    EXPECT_EQ(mse(zeros({2, 0}), zeros({2, 0}), reduction).item(), 0);
    EXPECT_EQ(mse_backward(zeros({2, 0}), zeros({2, 0}), scalar(1), reduction).shape(),
              Shape({2, 0}));
  }
}

// 2^24 squares of 1 and one more: in float32 the last would be lost. One element stands for all.
TEST(Mse, ManySummandsKeepTheirDigits) {
  const Tensor prediction = expand(ones({1}), {17000000});
  const Tensor target = expand(zeros({1}), {17000000});
  EXPECT_EQ(mse(prediction, target, kSum).item(), 17000000);
  EXPECT_EQ(mse(prediction, target).item(), 1);
}

TEST(Mse, CloseNumbersAndFarOnes) {
  EXPECT_EQ(mse(vector({16777216}), vector({16777217}, DType::kFloat32)).item(),
            0);  // no such float
  EXPECT_EQ(mse(vector({16777216}), vector({16777218})).item(), 4);
  // The difference is past float32, its gradient is not.
  EXPECT_EQ(mse_backward(vector({3e38}), vector({-3e38}), scalar(0.25)).item(), float{3e38F});
}

TEST(Mse, InfinitiesAndNan) {
  EXPECT_EQ(mse(vector({kInf, 1}), vector({0, 1})).item(), kInf);
  EXPECT_THAT(mse(vector({kInf}), vector({kInf})).item(), IsNan());
  EXPECT_THAT(mse(vector({1, std::nan("")}), vector({1, 1})).item(), IsNan());
  EXPECT_THAT(mse_backward(vector({1, std::nan("")}), vector({0, 1}), scalar(1)).to_vector(),
              ElementsAre(1, IsNan()));
}

TEST(MseError, NamesOpAndOperands) {
  const Tensor x = zeros({2, 1});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { mse(x, zeros({2})); },
              ThrowsMessage<ShapeError>("mse: expected prediction.shape == target.shape, got "
                                        "[2, 1] and [2]; prediction=[2, 1] target=[2]"));
  EXPECT_THAT(
      [&] {
        mse(x, zeros({2, 1}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "mse: expected one dtype for prediction and target, got float32 and float64; "
          "prediction=[2, 1] target=[2, 1]"));
  EXPECT_THAT([&] { mse(arange(0, 2), arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>(
                  "mse: expected float32 or float64, got int64; prediction=[2] target=[2]"));
  EXPECT_THAT([&] { mse(x, Tensor()); },
              ThrowsMessage<std::invalid_argument>("mse: expected a tensor, got an undefined one"));
  EXPECT_THROW(mse(Tensor(), x), std::invalid_argument);
  EXPECT_THAT([&] { mse_backward(x, x, zeros({2})); },
              ThrowsMessage<ShapeError>("mse_backward: expected dy of shape [], got [2]; "
                                        "prediction=[2, 1] target=[2, 1] dy=[2]"));
  EXPECT_THAT([&] { mse_backward(x, x, scalar(1, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(
                  "mse_backward: expected one dtype for prediction and dy, got float32 and "
                  "float64; prediction=[2, 1] dy=[]"));
  EXPECT_THROW(mse_backward(x, x, Tensor()), std::invalid_argument);
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
