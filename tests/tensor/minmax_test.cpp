#include "tensor/minmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/minmax.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Nothing is rounded here (dy / 2 of the smallest denormal is, to the same), so all is exact.
TEST(Minmax, MaximumAndMinimumEqualTheReference) {
  for_each_case("maximum", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const DType dtype = c.below(4) == 0 ? DType::kInt64 : c.dtype();
    const Tensor a = c.tensor(c.narrowed(shape), dtype, c.values());
    const Tensor b = c.tensor(c.narrowed(shape), dtype, c.values());
    EXPECT_EQ(test::difference(maximum(a, b), reference::maximum(a, b), 0), "");
    EXPECT_EQ(test::difference(minimum(a, b), reference::minimum(a, b), 0), "");
    EXPECT_EQ(maximum(a, b).dtype(), dtype);
    EXPECT_TRUE(minimum(a, b).is_contiguous());
  });
}

TEST(Minmax, MaximumBackwardEqualsTheReference) {
  for_each_case("maximum_backward", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape));
    const Tensor b = c.below(4) == 0 ? a : c.tensor(c.narrowed(shape));
    const Tensor dy = c.tensor(broadcast_shapes("test", a.shape(), b.shape()));
    const Tensor want = reference::maximum_backward(a, b, dy);
    EXPECT_EQ(test::difference(maximum_backward(a, b, dy), want, 0), "");
  });
}

TEST(Minmax, AbsEqualsTheReference) {
  for_each_case("abs", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor x = c.tensor(shape, c.below(4) == 0 ? DType::kInt64 : c.dtype(), c.values());
    EXPECT_EQ(test::difference(abs(x), reference::abs(x), 0), "");
    const Tensor at = c.tensor(shape);
    const Tensor dy = c.tensor(shape, c.dtype(), Values::kPlain);
    EXPECT_EQ(test::difference(abs_backward(at, dy), reference::abs_backward(at, dy), 0), "");
  });
}

TEST(Minmax, ClipEqualsTheReference) {
  for_each_case("clip", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor x = c.tensor(shape);
    const Tensor dy = c.tensor(shape);
    for (const auto& [low, high] :
         {std::pair{-1.0, 1.0}, {0.1, 0.3}, {-kInf, 0.5}, {0.0, kInf}, {2.0, 2.0}, {-kInf, kInf}}) {
      EXPECT_EQ(test::difference(clip(x, low, high), reference::clip(x, low, high), 0), "");
      EXPECT_EQ(test::difference(clip_backward(x, dy, low, high),
                                 reference::clip_backward(x, dy, low, high), 0),
                "");
    }
    const Tensor whole = c.tensor(shape, DType::kInt64, Values::kIntegers);
    EXPECT_EQ(test::difference(clip(whole, -1, 2), reference::clip(whole, -1, 2), 0), "");
  });
}

TEST(Minmax, ByHand) {
  const Tensor a = vector({1, 5, -3});
  const Tensor b = vector({1, 2, 4});
  EXPECT_THAT(maximum(a, b).to_vector(), ElementsAre(1, 5, 4));
  EXPECT_THAT(minimum(a, b).to_vector(), ElementsAre(1, 2, -3));
  EXPECT_THAT(abs(a).to_vector(), ElementsAre(1, 5, 3));
  EXPECT_FALSE(std::signbit(abs(scalar(-0.0)).item()));
  EXPECT_THAT(clip(a, -1, 2).to_vector(), ElementsAre(1, 2, -1));
  const Tensor dy = vector({10, 20, 30});
  EXPECT_THAT(maximum_backward(a, b, dy).to_vector(), ElementsAre(5, 20, 0));
  EXPECT_THAT(maximum_backward(b, a, dy).to_vector(), ElementsAre(5, 0, 30));
  EXPECT_THAT(abs_backward(vector({2, 0, -7}), dy).to_vector(), ElementsAre(10, 0, -30));
  EXPECT_THAT(clip_backward(a, dy, 1, 5).to_vector(), ElementsAre(10, 20, 0));  // both bounds
}

// std::max(a, b) keeps whichever operand comes first when one is NaN, so a NaN showed or vanished
// with the order of the operands (BR-36).
TEST(Minmax, NanStaysVisible) {
  const auto report = test::bug_report("BR-36");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& inputs = report.at("inputs");
  const auto& expected = report.at("expected");
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor pairs = test::tensor_from(inputs.at("maximum_of"), dtype);
    const Tensor a = select(pairs, 1, 0);
    const Tensor b = select(pairs, 1, 1);
    const Tensor want = test::tensor_from(expected.at("maximum"));
    EXPECT_EQ(test::difference(maximum(a, b), want, 0), "");
    EXPECT_EQ(test::difference(minimum(a, b), want, 0), "");
    const Tensor nan = scalar(std::nan(""), dtype);
    const Tensor bounds = test::tensor_from(inputs.at("clip_of_NaN_to"));
    const Tensor clipped = clip(nan, bounds.at({0}), bounds.at({1}));
    EXPECT_EQ(test::difference(clipped, test::tensor_from(expected.at("clip")), 0), "");
    EXPECT_TRUE(std::isnan(abs(nan).item()));
  }
}

TEST(Minmax, NanAndInfiniteGradients) {
  const double nan = std::nan("");
  const Tensor x = vector({nan, 1, -kInf});
  const Tensor dy = vector({1, kInf, kInf});
  const auto is = [](const Tensor& got, std::initializer_list<double> want) {
    return test::difference(got, vector(want), 0);
  };
  EXPECT_EQ(is(abs_backward(x, dy), {nan, kInf, -kInf}), "");
  // An infinite gradient is not multiplied by 0.
  EXPECT_EQ(is(clip_backward(x, dy, 2, 3), {nan, 0, 0}), "");
  EXPECT_EQ(is(maximum_backward(x, scalar(1), dy), {nan, kInf, 0}), "");
  EXPECT_EQ(is(maximum_backward(scalar(1), x, dy), {nan, kInf, kInf}), "");
}

TEST(Minmax, Int64) {
  const Tensor x = arange(-2, 3);
  EXPECT_THAT(abs(x).to_vector(), ElementsAre(2, 1, 0, 1, 2));
  EXPECT_THAT(clip(x, -kInf, 0).to_vector(), ElementsAre(-2, -1, 0, 0, 0));
  EXPECT_THAT(clip(x, 1, kInf).to_vector(), ElementsAre(1, 1, 1, 1, 2));
  EXPECT_EQ(clip(x, -1, 1).dtype(), DType::kInt64);
  EXPECT_EQ(abs(full({1}, -0x1p63, DType::kInt64)).item(), -0x1p63);
}

TEST(MinmaxError, NamesOpAndOperands) {
  const Tensor x = zeros({2, 3});
  for (const auto& [op, f] :
       {std::pair{"maximum", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(maximum)},
        {"minimum", minimum}}) {
    const std::string name = op;
    const auto call = f;
    EXPECT_THAT([&] { call(x, zeros({2})); },
                ThrowsMessage<ShapeError>(name + ": expected sizes that are equal or 1, aligned at "
                                                 "the last axis, got 3 and 2 at axis -1; "
                                                 "a=[2, 3] b=[2]"));
    EXPECT_THAT([&] { call(x, arange(0, 3)); },
                ThrowsMessage<std::invalid_argument>(name + ": expected one dtype for a and b, got "
                                                            "float32 and int64; a=[2, 3] b=[3]"));
    EXPECT_THAT([&] { call(ones({2}, DType::kBool), ones({2}, DType::kBool)); },
                ThrowsMessage<std::invalid_argument>(
                    name + ": expected float32, float64 or int64, got bool; a=[2] b=[2]"));
    EXPECT_THAT(
        [&] { call(x, Tensor()); },
        ThrowsMessage<std::invalid_argument>(name + ": expected a tensor, got an undefined one"));
  }
  EXPECT_THAT([&] { abs(Tensor()); },
              ThrowsMessage<std::invalid_argument>("abs: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { abs(ones({2}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>(
                  "abs: expected float32, float64 or int64, got bool; x=[2]"));
}

TEST(MinmaxError, BoundsOfClip) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { clip(x, 2, 1); }, ThrowsMessage<std::invalid_argument>(
                                          "clip: expected low <= high, got 2 and 1; x=[2, 3]"));
  EXPECT_THAT(
      [&] { clip(x, std::nan(""), 1); },
      ThrowsMessage<std::invalid_argument>("clip: expected low <= high, got nan and 1; x=[2, 3]"));
  EXPECT_THAT([&] { clip(arange(0, 3), 0.5, 1); },
              ThrowsMessage<std::invalid_argument>(
                  "clip: expected a whole number beside an int64 tensor, got 0.5; x=[3]"));
  EXPECT_THROW(clip(Tensor(), 0, 1), std::invalid_argument);
  EXPECT_THAT([&] { clip_backward(x, x, 2, 1); },
              ThrowsMessage<std::invalid_argument>(
                  "clip_backward: expected low <= high, got 2 and 1; x=[2, 3]"));
}

TEST(MinmaxError, BackwardFunctions) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { abs_backward(x, zeros({3})); },
              ThrowsMessage<ShapeError>("abs_backward: expected dy.shape == x.shape, got [3] and "
                                        "[2, 3]; x=[2, 3] dy=[3]"));
  EXPECT_THAT(
      [&] {
        clip_backward(x, zeros({2, 3}, DType::kFloat64), 0, 1);
      },
      ThrowsMessage<std::invalid_argument>(
          "clip_backward: expected one dtype for x and dy, got float32 and float64; "
          "x=[2, 3] dy=[2, 3]"));
  EXPECT_THAT([&] { maximum_backward(x, zeros({3}), zeros({3})); },
              ThrowsMessage<ShapeError>("maximum_backward: expected dy of the broadcast shape "
                                        "[2, 3], got [3]; a=[2, 3] b=[3] dy=[3]"));
  EXPECT_THAT([&] { maximum_backward(arange(0, 2), arange(0, 2), arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>("maximum_backward: expected float32 or float64, "
                                                   "got int64; a=[2] b=[2] dy=[2]"));
  EXPECT_THAT(
      [&] {
        maximum_backward(x, x, zeros({2, 3}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "maximum_backward: expected one dtype for a and dy, got float32 and float64; "
          "a=[2, 3] dy=[2, 3]"));
}

}  // namespace
}  // namespace gradwalk
