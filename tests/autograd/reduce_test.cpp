#include "autograd/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

// Central differences over many choices of axes: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto reduce = [&](const char* name, auto f) {
    const Tensor x = test::random({2, 3, 4});
    const auto add = [&](const char* how, auto call, const Tensor& input) {
      ops.push_back({name, how, call, {input}, false});
    };
    add(
        "all", [f](test::OpInputs in) { return f(in[0]); }, x);
    add(
        "last", [f](test::OpInputs in) { return f(in[0], -1, false); }, x);
    add(
        "first, kept", [f](test::OpInputs in) { return f(in[0], 0, true); }, x);
    add(
        "two",
        [f](test::OpInputs in) {
          return f(in[0], Axes{0, 2}, false);
        },
        x);
    add(
        "two, kept",
        [f](test::OpInputs in) {
          return f(in[0], Axes{-1, 1}, true);
        },
        x);
    add(
        "none", [f](test::OpInputs in) { return f(in[0], Axes(), false); }, x);
    add(
        "size 1", [f](test::OpInputs in) { return f(in[0], 1, false); }, test::random({2, 1}));
    add(
        "0-d", [f](test::OpInputs in) { return f(in[0]); }, test::random({}));
  };
  reduce("sum", [](const Variable& x, auto... how) { return sum(x, how...); });
  reduce("mean", [](const Variable& x, auto... how) { return mean(x, how...); });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"sum_all", {test::wide()}, [](test::OpInputs in) { return sum(in[0]); }});
  works.push_back({"sum_rows", {test::wide()}, [](test::OpInputs in) { return sum(in[0], -1); }});
  works.push_back({"sum_columns", {test::wide()}, [](test::OpInputs in) { return sum(in[0], 0); }});
});

// A gradient was put back on another axis than the kept one, which equal entries hide. These are
// distinct (BR-07).
TEST(ReduceGrad, MeanAndSumOverAxesZeroAndTwo) {
  const Tensor values = reshape(to(arange(1, 13), DType::kFloat64), {2, 3, 2});
  const Tensor dy = vector({1, -2, 4}, DType::kFloat64);
  const Variable x = parameter(values);
  const Variable average = mean(x, {0, 2});
  EXPECT_THAT(average.value().to_vector(), ElementsAre(4.5, 6.5, 8.5));
  backward(average, dy);
  EXPECT_THAT(x.grad().to_vector(),
              ElementsAre(0.25, 0.25, -0.5, -0.5, 1, 1, 0.25, 0.25, -0.5, -0.5, 1, 1));
  x.zero_grad();
  const Variable total = sum(x, {-1, 0});
  EXPECT_THAT(total.value().to_vector(), ElementsAre(18, 26, 34));
  backward(total, dy);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 1, -2, -2, 4, 4, 1, 1, -2, -2, 4, 4));
}

TEST(ReduceGrad, KeptAxesBroadcastBack) {
  const Variable x = parameter(matrix({{1, 3}, {5, 9}}, DType::kFloat64));
  const Variable centred = x - mean(x, -1, /*keepdims=*/true);
  EXPECT_THAT(centred.value().to_vector(), ElementsAre(-1, 1, -2, 2));
  backward(centred, matrix({{1, 0}, {0, 0}}, DType::kFloat64));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0.5, -0.5, 0, 0));
}

// Backward through a reduction of nothing failed, for want of a number to put back. The gradient is
// as empty as the tensor (BR-33).
TEST(ReduceGrad, EmptyTensors) {
  const Variable x = parameter(zeros({0}));
  backward(sum(x));
  EXPECT_EQ(x.grad().shape(), Shape({0}));
  const Variable y = parameter(zeros({2, 0}));
  backward(mean(y));
  EXPECT_EQ(y.grad().shape(), Shape({2, 0}));
  const Variable z = parameter(zeros({0, 3}));
  backward(mean(z, 0), ones({3}));
  EXPECT_EQ(z.grad().shape(), Shape({0, 3}));
  backward(mean(z, 1), zeros({0}));
}

TEST(ReduceGrad, OfATransposedUpstreamGradient) {
  const Variable x = parameter(zeros({2, 3, 2}));
  backward(sum(x, 2), transpose(matrix({{1, 2}, {3, 4}, {5, 6}})));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 1, 3, 3, 5, 5, 2, 2, 4, 4, 6, 6));
}

TEST(ReduceGrad, OverNoAxes) {
  const Variable x = parameter(vector({1, 2}));
  backward(mean(x, Axes()), vector({3, 4}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3, 4));
}

TEST(ReduceError, IsThatOfTheValue) {
  const Variable x = parameter(zeros({2, 3}));
  EXPECT_THAT([&] { sum(x, 2); },
              ThrowsMessage<ShapeError>("sum: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THAT(
      [&] {
        mean(x, {0, -2});
      },
      ThrowsMessage<ShapeError>("mean: expected each axis once, got axis -2 twice; x=[2, 3]"));
  EXPECT_THAT([] { sum(Variable(), 0); },
              ThrowsMessage<std::invalid_argument>("sum: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
