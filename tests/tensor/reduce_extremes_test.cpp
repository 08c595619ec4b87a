// max, min and argmax: what they choose, and how their gradient is shared. (The values of max over
// random cases stand in reduce_test.cpp.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/reduce.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// Half of the cases with few different values, so that there are ties.
Tensor with_ties(RandomCase& c, const Shape& shape) {
  return c.below(2) == 0 ? c.tensor(shape, c.dtype(), Values::kIntegers) : c.tensor(shape);
}

TEST(Min, EqualsTheReference) {
  for_each_case("min", 280, [](RandomCase& c) {
    const Tensor x = with_ties(c, c.shape());
    Axes named;
    std::vector<int> plain;
    std::int64_t elements = 1;
    for (int axis = 0; axis < x.ndim(); ++axis) {
      if (c.below(2) == 0) continue;
      named.push_back(c.below(2) == 0 ? axis : axis - x.ndim());
      plain.push_back(axis);
      elements *= x.shape()[axis];
    }
    const bool keepdims = c.below(2) == 0;
    const Tensor want = reference::min(x, plain, keepdims);
    if (elements == 0 && want.numel() > 0) {
      EXPECT_THROW(min(x, named, keepdims), ShapeError);
      return;
    }
    EXPECT_EQ(difference(min(x, named, keepdims), want, 0), "");
  });
}

TEST(Argmax, EqualsTheReference) {
  for_each_case("argmax", 280, [](RandomCase& c) {
    const Tensor x = with_ties(c, c.shape(1));
    const int axis = c.axis(x.shape());
    const bool keepdims = c.below(2) == 0;
    const int plain = axis < 0 ? axis + x.ndim() : axis;
    if (x.numel() == 0) {
      EXPECT_THROW(argmax(x), ShapeError);
      return;
    }
    const Tensor y = argmax(x, axis, keepdims);
    EXPECT_EQ(y.dtype(), DType::kInt64);
    EXPECT_EQ(difference(y, reference::argmax(x, plain, keepdims), 0), "");
    EXPECT_EQ(difference(argmax(x), reference::argmax(x), 0), "");
  });
}

TEST(MaxBackward, EqualsTheReference) {
  for_each_case("extremum_backward", 280, [](RandomCase& c) {
    const Tensor x = with_ties(c, c.shape(1));
    const int axis = c.axis(x.shape());
    const int plain = axis < 0 ? axis + x.ndim() : axis;
    if (x.shape()[axis] == 0) return;
    const bool keepdims = c.below(2) == 0;
    for (const Tensor& y : {max(x, axis, keepdims), min(x, axis, keepdims)}) {
      const Tensor dy = c.tensor(y.shape());
      EXPECT_EQ(difference(extremum_backward(x, y, dy, axis),
                           reference::extremum_backward(x, y, dy, plain), 0),
                "");
    }
  });
}

TEST(Extremes, SmallCases) {
  const Tensor x = matrix({{3, -1, 3}, {-2, 7, 0}});
  EXPECT_THAT(min(x, 0).to_vector(), ElementsAre(-2, -1, 0));
  EXPECT_THAT(min(x, -1).to_vector(), ElementsAre(-1, -2));
  EXPECT_EQ(min(x).item(), -2);
  EXPECT_EQ(min(x, {0, 1}, /*keepdims=*/true).shape(), Shape({1, 1}));
  EXPECT_THAT(argmax(x, 1).to_vector(), ElementsAre(0, 1));
  EXPECT_THAT(argmax(x, 0).to_vector(), ElementsAre(0, 1, 0));
  EXPECT_EQ(argmax(x).item(), 4);
  EXPECT_EQ(argmax(transpose(x)).item(), 3);  // its own row-major order, not memory's
  EXPECT_EQ(argmax(x, 0, /*keepdims=*/true).shape(), Shape({1, 3}));
  EXPECT_EQ(min(scalar(2)).item(), 2);
  EXPECT_EQ(argmax(scalar(2)).item(), 0);
}

// Whole vectors of lesser elements are passed over; what stands behind them is not.
TEST(Argmax, FindsItAnywhereInALongRow) {
  constexpr std::int64_t kLength = 75;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (std::int64_t place = 0; place < kLength; ++place) {
      const Tensor x = full({kLength}, -1, dtype);
      fill(slice(x, 0, place, kLength, /*step=*/20), 3);  // of equals the first
      EXPECT_EQ(argmax(x).item(), place);
      fill(select(x, 0, kLength - 1), 9);
      fill(slice(x, 0, place, kLength, /*step=*/20), kNan);
      EXPECT_EQ(argmax(x).item(), place);
    }
  }
}

TEST(Extremes, Int64KeepsEveryDigit) {
  constexpr double kBig = 0x1p62;
  const Tensor x = full({3}, kBig, DType::kInt64);
  EXPECT_EQ(min(x).item(), kBig);
  EXPECT_EQ(argmax(x).item(), 0);
  EXPECT_EQ(argmax(arange(-5, 5)).item(), 9);
}

// Over all axes at once and several: two ties, in different rows.
TEST(Extremes, TiesAcrossAxesShareEqually) {
  const Tensor x = matrix({{1, 5}, {5, 0}}, DType::kFloat64);
  const Tensor dx = extremum_backward(x, max(x), scalar(6, DType::kFloat64), {0, 1});
  EXPECT_THAT(dx.to_vector(), ElementsAre(0, 3, 3, 0));
}

// A backward that gave the whole gradient to each of several equal maxima made it larger on the
// way. The parts add up to the upstream; argmax takes the lowest index (BR-35).
TEST(Extremes, SharedMaximumBr35) {
  const nlohmann::json report = test::bug_report("BR-35");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor x = test::tensor_from(report["inputs"]["x"]);
  EXPECT_EQ(max(x).item(), report["expected"]["value"].get<double>());
  EXPECT_EQ(argmax(x).item(), report["expected"]["argmax"].get<double>());
  const Tensor shared = test::tensor_from(report["expected"]["grad_x"]["accept_any_of"][1]);
  EXPECT_EQ(difference(extremum_backward(x, max(x), scalar(1, DType::kFloat64), 0), shared, 0), "");
}

// A NaN could vanish in a maximum or a minimum by where it stood. It is the result, and the
// gradient goes to it (BR-36).
TEST(Extremes, NanStaysVisibleBr36) {
  const nlohmann::json report = test::bug_report("BR-36");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor x = test::tensor_from(report["inputs"]["max_of"]);
  const Tensor want = test::tensor_from(report["expected"]["max"]);
  EXPECT_EQ(difference(max(x, -1), want, 0), "");
  EXPECT_EQ(difference(min(x, -1), want, 0), "");
  EXPECT_THAT(argmax(x, -1).to_vector(), ElementsAre(1, 0, 2));
  const Tensor row = vector({kNan, 1, kNan});
  EXPECT_THAT(extremum_backward(row, max(row), scalar(4), 0).to_vector(), ElementsAre(2, 0, 2));
  EXPECT_EQ(argmax(row).item(), 0);
}

TEST(Extremes, Infinities) {
  EXPECT_EQ(min(vector({kInfinity, kInfinity})).item(), kInfinity);
  EXPECT_EQ(max(vector({-kInfinity, -kInfinity})).item(), -kInfinity);
  EXPECT_EQ(argmax(vector({-kInfinity, -kInfinity})).item(), 0);
}

// An empty axis beside the reduced one was taken for nothing to choose from. Only the size of the
// reduced axis matters (BR-33).
TEST(Extremes, EmptyAxesBr33) {
  EXPECT_THAT([] { min(zeros({0})); },
              ThrowsMessage<ShapeError>("min: expected at least one element to choose from, got "
                                        "none; x=[0]"));
  EXPECT_THAT([] { argmax(zeros({0})); },
              ThrowsMessage<ShapeError>("argmax: expected at least one element to choose from, got "
                                        "none; x=[0]"));
  EXPECT_THROW(min(zeros({2, 0}), 1), ShapeError);
  EXPECT_EQ(min(zeros({2, 0}), 0).shape(), Shape({0}));
  EXPECT_EQ(argmax(zeros({2, 0}), 0).shape(), Shape({0}));
  EXPECT_EQ(extremum_backward(zeros({2, 0}), zeros({0}), zeros({0}), 0).shape(), Shape({2, 0}));
}

TEST(ExtremesError, TextsAndOperands) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { min(x, 2); },
              ThrowsMessage<ShapeError>("min: expected axis in [-2, 2), got 2; x=[2, 2]"));
  EXPECT_THAT([&] { argmax(x, -3); },
              ThrowsMessage<ShapeError>("argmax: expected axis in [-2, 2), got -3; x=[2, 2]"));
  EXPECT_THAT(
      [&] {
        min(x, {0, -2});
      },
      ThrowsMessage<ShapeError>("min: expected each axis once, got axis -2 twice; "
                                "x=[2, 2]"));
  EXPECT_THAT([] { argmax(ones({2}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>("argmax: expected float32, float64 or int64, "
                                                   "got bool; x=[2]"));
  EXPECT_THAT([] { argmax(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                            "argmax: expected a tensor, got an undefined one"));
  EXPECT_THAT([] { min(Tensor(), 0); },
              ThrowsMessage<std::invalid_argument>("min: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { extremum_backward(x, max(x, 0), zeros({3}), 0); },
              ThrowsMessage<ShapeError>("extremum_backward: expected dy of 2 elements, got 3; "
                                        "x=[2, 2] dy=[3]"));
  EXPECT_THAT([&] { extremum_backward(x, max(x, 0), zeros({2}, DType::kFloat64), 0); },
              ThrowsMessage<std::invalid_argument>(
                  "extremum_backward: expected one dtype for x and dy, got float32 and float64; "
                  "x=[2, 2] dy=[2]"));
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
