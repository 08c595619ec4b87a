#include "tensor/softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/softmax.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

int plain(int axis, const Tensor& x) { return axis < 0 ? axis + x.ndim() : axis; }

// x_i - m is rounded in the dtype, which exp turns into a relative error of |x_i - m| epsilon; the
// sum of n terms adds at most n of them, for y |x - m| < 1.
Tensor softmax_bound(const Tensor& x, const Tensor& want, int axis) {
  std::vector<double> gaps = (x - max(x, axis, /*keepdims=*/true)).to_vector();
  const auto size = static_cast<double>(x.shape()[axis]);
  for (double& gap : gaps) gap = (std::isfinite(gap) ? std::min(-gap, 1e3) : 0) + size + 4;
  const Tensor roundings = from_vector(gaps, x.shape(), DType::kFloat64);
  return test::sum_bound(test::finite_sizes(want) * roundings, x.dtype(), 1);
}

TEST(Softmax, EqualsTheReference) {
  for_each_case("softmax", 420, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(1));
    const int axis = c.axis(x.shape());
    if (x.numel() == 0) {
      EXPECT_EQ(softmax(x, axis).shape(), x.shape());
      return;
    }
    const Tensor want = reference::softmax(x, plain(axis, x));
    const Tensor y = softmax(x, axis);
    EXPECT_EQ(test::difference(y, want, softmax_bound(x, want, axis)), "");
    EXPECT_EQ(y.dtype(), x.dtype());
  });
}

TEST(SoftmaxBackward, EqualsTheReference) {
  for_each_case("softmax_backward", 280, [](RandomCase& c) {
    const Shape shape = c.shape(1);
    const int axis = c.axis(shape);
    if (shape.numel() == 0) return;
    const Tensor y = softmax(c.tensor(shape, c.dtype(), Values::kPlain), axis);
    const bool finite = c.values() != Values::kInfinite && c.values() != Values::kNan;
    const Tensor dy = c.tensor(shape, c.dtype(), finite ? c.values() : Values::kPlain);
    const Tensor want = reference::softmax_backward(y, dy, plain(axis, y));
    // y (|dy| + sum |dy| y), added up in float64 in n steps, then rounded once.
    const Tensor sizes = test::finite_sizes(dy);
    const Tensor weights = test::finite_sizes(y);
    const Tensor terms = weights * (sizes + sum(sizes * weights, axis, /*keepdims=*/true));
    const auto n = static_cast<double>(shape[axis]);
    EXPECT_EQ(test::difference(softmax_backward(y, dy, axis), want,
                               test::sum_bound(terms, DType::kFloat64, n + 4) +
                                   test::sum_bound(test::finite_sizes(want), c.dtype(), 1)),
              "");
  });
}

TEST(Softmax, RowsSumToOne) {
  for_each_case("rows", 100, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(1), DType::kFloat64, Values::kHuge);
    if (x.numel() == 0) return;
    const int axis = c.axis(x.shape());
    for (const double total : sum(softmax(x, axis), axis).to_vector()) {
      EXPECT_NEAR(total, 1, 1e-13);
    }
  });
}

TEST(Softmax, SmallCasesByHand) {
  EXPECT_THAT(softmax(vector({0, 0, 0, 0}), 0).to_vector(), Each(0.25));
  EXPECT_THAT(softmax(vector({std::log(1.0), std::log(3.0)}, DType::kFloat64), 0).to_vector(),
              ElementsAre(testing::DoubleNear(0.25, 1e-15), testing::DoubleNear(0.75, 1e-15)));
  EXPECT_EQ(softmax(matrix({{1, 2, 3}}), 0).at({0, 1}), 1);
  const Tensor y = vector({0.25, 0.75}, DType::kFloat64);
  // dot = 0.25 * 4 + 0.75 * 0 = 1: dx = y (dy - 1)
  EXPECT_THAT(softmax_backward(y, vector({4, 0}, DType::kFloat64), 0).to_vector(),
              ElementsAre(0.75, -0.75));
}

TEST(Softmax, LargeEqualLogitsDoNotOverflow) {
  EXPECT_THAT(softmax(vector({1e38, 1e38}), 0).to_vector(), Each(0.5));
  EXPECT_THAT(softmax(vector({-1e38, -1e38}), 0).to_vector(), Each(0.5));
}

// A row with every entry blocked was NaN: exp(-inf - -inf). It is zeros, with a zero gradient; a
// blocked entry is 0 and no tiny number; row 0 does not feel row 1 (BR-01).
TEST(Softmax, BlockedRows) {
  const Tensor scores =
      matrix({{0.4, -1.2, -kInf, 0.1}, {-kInf, -kInf, -kInf, -kInf}}, DType::kFloat64);
  const Tensor y = softmax(scores, -1);
  const Tensor want =
      matrix({{0.514743611139, 0.103924942749, 0, 0.381331446112}, {0, 0, 0, 0}}, DType::kFloat64);
  EXPECT_EQ(test::difference(y, want, 1e-9, 1e-11), "");
  EXPECT_EQ(y.at({0, 2}), 0);
  const Tensor dy = matrix({{1, -2, 5, 0.5}, {3, 1, -1, 2}}, DType::kFloat64);
  const Tensor dx = softmax_backward(y, dy, -1);
  EXPECT_EQ(test::difference(
                dx,
                matrix({{0.258628063761, -0.259558722718, 0, 0.000930658957644}, {0, 0, 0, 0}},
                       DType::kFloat64),
                1e-9, 1e-11),
            "");
  EXPECT_THAT(select(dx, 0, 1).to_vector(), Each(0));
}

// A search for the maximum that passes over NaN could make ordinary numbers of such a row. It is
// NaN and touches no other row; so is one with +inf, for inf - inf is NaN (BR-36).
TEST(Softmax, NanStaysInItsRow) {
  const Tensor y = softmax(matrix({{1, 2}, {std::nan(""), 0}, {kInf, 0}}, DType::kFloat64), -1);
  EXPECT_NEAR(y.at({0, 0}), 0.26894142137, 1e-11);
  EXPECT_NEAR(y.at({0, 1}), 0.73105857863, 1e-11);
  for (const std::int64_t row : {1, 2}) {
    EXPECT_TRUE(std::isnan(y.at({row, 0})));
    EXPECT_TRUE(std::isnan(y.at({row, 1})));
  }
  EXPECT_TRUE(std::isnan(softmax(vector({-kInf, std::nan("")}), 0).at({0})));
}

// A kernel that looked at the last stride alone read the rows of a transposed view in the order of
// memory. Here axes 0 and 1 are swapped, the last stride still 1 (BR-10).
TEST(Softmax, TransposedViewEqualsItsCopy) {
  Generator generator(2, "views");
  const Tensor view = permute(normal({2, 3, 4}, generator), {1, 0, 2});
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(test::difference(softmax(view, axis), softmax(clone(view), axis), 0), "");
  }
}

// Empty rows were an error for want of a maximum. The result is empty as well (BR-33).
TEST(Softmax, EmptyAxisGivesAnEmptyResult) {
  EXPECT_EQ(softmax(zeros({2, 0}), -1).shape(), Shape({2, 0}));
  EXPECT_EQ(softmax(zeros({0, 2}), -1).shape(), Shape({0, 2}));
  EXPECT_EQ(softmax(zeros({2, 0}), 0).shape(), Shape({2, 0}));
  EXPECT_EQ(softmax_backward(zeros({2, 0}), zeros({2, 0}), -1).shape(), Shape({2, 0}));
}

TEST(SoftmaxError, AxesAndScalars) {
  EXPECT_THAT([] { softmax(zeros({}), 0); },
              ThrowsMessage<ShapeError>("softmax: expected ndim >= 1, got 0; x=[]"));
  EXPECT_THAT(
      [] {
        softmax(zeros({2, 3}), 2);
      },
      ThrowsMessage<ShapeError>("softmax: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THAT([] { softmax(arange(0, 3), 0); },
              ThrowsMessage<std::invalid_argument>("softmax: expected float32 or float64, got "
                                                   "int64; x=[3]"));
  EXPECT_THAT(
      [] { softmax(Tensor(), 0); },
      ThrowsMessage<std::invalid_argument>("softmax: expected a tensor, got an undefined one"));
}

TEST(SoftmaxError, BackwardWantsOneShapeAndDType) {
  EXPECT_THAT(
      [] {
        softmax_backward(zeros({2, 3}), zeros({3}), -1);
      },
      ThrowsMessage<ShapeError>("softmax_backward: expected dy.shape == y.shape, got [3] and "
                                "[2, 3]; y=[2, 3] dy=[3]"));
  EXPECT_THAT([] { softmax_backward(zeros({3}), zeros({3}, DType::kFloat64), -1); },
              ThrowsMessage<std::invalid_argument>("softmax_backward: expected one dtype for y and "
                                                   "dy, got float32 and float64; y=[3] dy=[3]"));
  EXPECT_THROW(softmax_backward(zeros({3}), Tensor(), -1), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
