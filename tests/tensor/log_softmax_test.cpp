#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/softmax.h"
#include "tensor/softmax.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

int plain(int axis, const Tensor& x) { return axis < 0 ? axis + x.ndim() : axis; }

// The log-sum is 0 to log n, from a sum whose n terms are exponentials in the dtype (each within
// two units, since t exp(-t) < 1/2) added up in float64; the result is then rounded once.
Tensor log_softmax_bound(const Tensor& x, const Tensor& want, int axis) {
  const auto n = static_cast<double>(x.shape()[axis]);
  const Tensor ones_like = ones(x.shape(), DType::kFloat64);
  return test::sum_bound(ones_like * (3 + std::log(n)), x.dtype(), 1) +
         test::sum_bound(ones_like, DType::kFloat64, n) +
         test::sum_bound(test::finite_sizes(want), x.dtype(), 2);
}

TEST(LogSoftmax, EqualsTheReference) {
  for_each_case("log_softmax", 420, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(1));
    const int axis = c.axis(x.shape());
    const Tensor y = log_softmax(x, axis);
    EXPECT_EQ(y.dtype(), x.dtype());
    EXPECT_EQ(y.shape(), x.shape());
    if (x.numel() == 0) return;
    const Tensor want = reference::log_softmax(x, plain(axis, x));
    EXPECT_EQ(test::difference(y, want, log_softmax_bound(x, want, axis)), "");
  });
}

TEST(LogSoftmaxBackward, EqualsTheReference) {
  for_each_case("log_softmax_backward", 420, [](RandomCase& c) {
    const Shape shape = c.shape(1);
    const int axis = c.axis(shape);
    const Tensor y = log_softmax(c.tensor(shape), axis);
    const Tensor dy = c.tensor(shape);
    const Tensor dx = log_softmax_backward(y, dy, axis);
    EXPECT_EQ(dx.shape(), shape);
    if (shape.numel() == 0) return;
    // dy and p sum(dy), of which p is off by a unit of the dtype and the sum by n of float64.
    const Tensor sizes = test::finite_sizes(dy);
    const Tensor terms = sizes + test::finite_sizes(softmax(y, axis)) * sum(sizes, axis, true);
    const auto n = static_cast<double>(shape[axis]);
    EXPECT_EQ(test::difference(dx, reference::log_softmax_backward(y, dy, plain(axis, y)),
                               test::sum_bound(terms, DType::kFloat64, n) +
                                   test::sum_bound(terms, c.dtype(), 3)),
              "");
  });
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmax) {
  for_each_case("log of softmax", 100, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(1), DType::kFloat64, test::Values::kPlain);
    if (x.numel() == 0) return;
    const int axis = c.axis(x.shape());
    EXPECT_EQ(test::difference(exp(log_softmax(x, axis)), softmax(x, axis), 1e-14), "");
  });
}

TEST(LogSoftmax, SmallCasesByHand) {
  EXPECT_THAT(log_softmax(zeros({4}, DType::kFloat64), 0).to_vector(),
              Each(testing::DoubleEq(-std::log(4.0))));
  EXPECT_THAT(log_softmax(vector({5}), 0).to_vector(), ElementsAre(0));
  const Tensor y = log_softmax(vector({std::log(1.0), std::log(3.0)}, DType::kFloat64), 0);
  EXPECT_NEAR(y.at({0}), std::log(0.25), 1e-15);
  EXPECT_NEAR(y.at({1}), std::log(0.75), 1e-15);
  // p = (0.25, 0.75), sum(dy) = 4: dx = dy - 4 p
  const Tensor dx = log_softmax_backward(y, vector({4, 0}, DType::kFloat64), 0);
  EXPECT_NEAR(dx.at({0}), 3, 1e-14);
  EXPECT_NEAR(dx.at({1}), -3, 1e-14);
}

// The logarithm of a probability was -inf for a very unlikely class: exp(-152.1) is 0 in float32
// (BR-04).
TEST(LogSoftmax, KeepsVeryUnlikelyClasses) {
  const auto report = test::bug_report("BR-04");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor logits = test::tensor_from(report["inputs"]["logits"], DType::kFloat32);
  EXPECT_EQ(test::difference(log_softmax(logits, -1),
                             test::tensor_from(report["expected"]["log_softmax"]), 1e-6, 1e-7),
            "");
}

// A small log-sum beside large equal logits: m + log 2 in one number would round it away.
TEST(LogSoftmax, LargeLogitsKeepTheLogSum) {
  EXPECT_THAT(log_softmax(vector({1e38, 1e38}), 0).to_vector(),
              Each(testing::DoubleNear(-std::log(2.0), 1e-7)));
  EXPECT_THAT(log_softmax(vector({1e38, -3e38}), 0).to_vector(), ElementsAre(0, -kInf));
}

// A row with every entry blocked was NaN: -inf less a maximum of -inf. It is -inf with a zero
// gradient, whatever comes in; a blocked entry of another row is -inf, the logarithm of its
// probability 0 (BR-01).
TEST(LogSoftmax, BlockedEntriesAndRows) {
  const Tensor scores = matrix({{0.4, -kInf, 0.1}, {-kInf, -kInf, -kInf}}, DType::kFloat64);
  const Tensor y = log_softmax(scores, -1);
  EXPECT_EQ(test::difference(exp(y), softmax(scores, -1), 1e-14), "");
  EXPECT_EQ(y.at({0, 1}), -kInf);
  EXPECT_THAT(select(y, 0, 1).to_vector(), Each(-kInf));
  const Tensor dx =
      log_softmax_backward(y, matrix({{1, 0, 0}, {1, std::nan(""), kInf}}, DType::kFloat64), -1);
  EXPECT_EQ(dx.at({0, 1}), 0);
  EXPECT_NEAR(dx.at({0, 0}), 1 - softmax(scores, -1).at({0, 0}), 1e-15);
  EXPECT_THAT(select(dx, 0, 1).to_vector(), Each(0));
}

// A search for the maximum that passes over NaN could make ordinary numbers of such a row. It is
// NaN and touches no other row; so is one with +inf, for inf - inf is NaN (BR-36).
TEST(LogSoftmax, NanStaysInItsRow) {
  const Tensor y = log_softmax(
      matrix({{0, 0}, {std::nan(""), 0}, {kInf, 0}, {-kInf, std::nan("")}}, DType::kFloat64), -1);
  EXPECT_THAT(select(y, 0, 0).to_vector(), Each(testing::DoubleNear(-std::log(2.0), 1e-15)));
  for (std::int64_t row = 1; row < 4; ++row) {
    EXPECT_THAT(select(y, 0, row).to_vector(), Each(testing::IsNan()));
  }
}

// Empty rows were an error for want of a maximum. The result is empty as well (BR-33).
TEST(LogSoftmax, EmptyAxes) {
  EXPECT_EQ(log_softmax(zeros({2, 0}), -1).shape(), Shape({2, 0}));
  EXPECT_EQ(log_softmax(zeros({0, 2}), 1).shape(), Shape({0, 2}));
  EXPECT_EQ(log_softmax_backward(zeros({2, 0}), zeros({2, 0}), -1).shape(), Shape({2, 0}));
}

TEST(LogSoftmaxError, NamesOpAndOperands) {
  EXPECT_THAT([] { log_softmax(zeros({}), 0); },
              ThrowsMessage<ShapeError>("log_softmax: expected ndim >= 1, got 0; x=[]"));
  EXPECT_THAT(
      [] {
        log_softmax(zeros(Shape{2, 3}), -3);
      },
      ThrowsMessage<ShapeError>("log_softmax: expected axis in [-2, 2), got -3; x=[2, 3]"));
  EXPECT_THAT([] { log_softmax(arange(0, 3), 0); },
              ThrowsMessage<std::invalid_argument>(
                  "log_softmax: expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT(
      [] { log_softmax(Tensor(), 0); },
      ThrowsMessage<std::invalid_argument>("log_softmax: expected a tensor, got an undefined one"));
}

TEST(LogSoftmaxError, BackwardWantsOneShapeAndDType) {
  const Tensor y = vector({-1, -2, -3});
  const std::uint64_t version = y.version();
  EXPECT_THAT([&] { log_softmax_backward(y, zeros({2}), 0); },
              ThrowsMessage<ShapeError>("log_softmax_backward: expected dy.shape == y.shape, got "
                                        "[2] and [3]; y=[3] dy=[2]"));
  EXPECT_THAT([&] { log_softmax_backward(y, zeros({3}, DType::kFloat64), 0); },
              ThrowsMessage<std::invalid_argument>(
                  "log_softmax_backward: expected one dtype for y and dy, got float32 and "
                  "float64; y=[3] dy=[3]"));
  EXPECT_THAT([&] { log_softmax_backward(zeros({}), zeros({}), 0); },
              ThrowsMessage<ShapeError>("log_softmax_backward: expected ndim >= 1, got 0; y=[]"));
  EXPECT_THROW(log_softmax_backward(y, Tensor(), 0), std::invalid_argument);
  EXPECT_EQ(y.version(), version);
  EXPECT_THAT(y.to_vector(), ElementsAre(-1, -2, -3));
}

}  // namespace
}  // namespace gradwalk
