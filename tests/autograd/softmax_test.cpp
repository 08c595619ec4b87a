#include "autograd/softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "autograd/backward.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

// Central differences along each axis: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  for (const int axis : {0, 1, 2, -1, -3}) {
    const auto call = [axis](test::OpInputs in) { return softmax(in[0], axis); };
    ops.push_back(
        {"softmax", "axis " + std::to_string(axis), call, {test::random({2, 3, 2})}, true});
  }
  ops.push_back({"softmax",
                 "size 1",
                 [](test::OpInputs in) { return softmax(in[0], -1); },
                 {test::random({2, 1})},
                 true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"softmax", {test::wide()}, [](test::OpInputs in) { return softmax(in[0], -1); }});
  works.push_back(
      {"softmax_columns", {test::wide()}, [](test::OpInputs in) { return softmax(in[0], 0); }});
});

TEST(SoftmaxGrad, ByHand) {
  const Variable x = parameter(zeros({4}, DType::kFloat64));
  backward(softmax(x, 0), vector({4, 0, 0, 0}, DType::kFloat64));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0.75, -0.25, -0.25, -0.25));
}

// A blocked entry whose weight was tiny and not 0 still had a gradient, and a blocked row was NaN.
// They get exactly 0 (BR-01).
TEST(SoftmaxGrad, BlockedEntriesGetExactlyZero) {
  const Variable x =
      parameter(matrix({{0.4, -1.2, -kInf, 0.1}, {-kInf, -kInf, -kInf, -kInf}}, DType::kFloat64));
  backward(softmax(x, -1), matrix({{1, -2, 5, 0.5}, {3, 1, -1, 2}}, DType::kFloat64));
  const double tolerance = 1e-11;
  EXPECT_THAT(
      x.grad().to_vector(),
      ElementsAre(DoubleNear(0.258628063761, tolerance), DoubleNear(-0.259558722718, tolerance), 0,
                  DoubleNear(0.000930658957644, tolerance), 0, 0, 0, 0));
}

TEST(SoftmaxGrad, OfEqualUpstreamGradientsIsZero) {
  const Variable x = parameter(vector({0.3, -2, 1.5}, DType::kFloat64));
  backward(softmax(x, 0), full({3}, 7, DType::kFloat64));
  EXPECT_THAT(x.grad().to_vector(), Each(DoubleNear(0, 1e-15)));
}

TEST(SoftmaxGrad, OfAnExpandedUpstreamGradient) {
  const Variable x = parameter(matrix({{1, 2}, {3, 5}}, DType::kFloat64));
  const Tensor row = vector({1, -1}, DType::kFloat64);
  backward(softmax(x, 0), expand(row, {2, 2}));
  const Tensor first = x.grad();
  x.zero_grad();
  backward(softmax(x, 0), clone(expand(row, {2, 2})));
  EXPECT_EQ(test::difference(first, x.grad(), 0), "");
}

TEST(SoftmaxError, IsThatOfTheValue) {
  EXPECT_THAT(
      [] {
        softmax(parameter(zeros({2, 3})), 2);
      },
      ThrowsMessage<ShapeError>("softmax: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THAT([] { softmax(parameter(zeros({})), 0); },
              ThrowsMessage<ShapeError>("softmax: expected ndim >= 1, got 0; x=[]"));
}

}  // namespace
}  // namespace gradwalk
