#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/softmax.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor random(const Shape& shape) {
  Generator generator(1, "log_softmax");
  return normal(shape, generator, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  for (const int axis : {0, -1}) {
    const auto call = [axis](test::OpInputs in) { return log_softmax(in[0], axis); };
    ops.push_back(
        {"log_softmax", "axis " + std::to_string(axis), call, {test::random({2, 3})}, true});
  }
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"log_softmax", {test::wide()}, [](test::OpInputs in) { return log_softmax(in[0], -1); }});
});

TEST(LogSoftmaxGrad, AlongEveryAxis) {
  for (int axis = -3; axis < 3; ++axis) {
    expect_gradient("log_softmax", [axis](Inputs in) { return log_softmax(in[0], axis); },
                    {random({3, 1, 5})});
  }
  expect_gradient("log_softmax", [](Inputs in) { return log_softmax(in[0], 0); }, {random({9})});
}

TEST(LogSoftmaxGrad, OfStridedAndBroadcastInputs) {
  const auto last = [](Inputs in) { return log_softmax(in[0], -1); };
  expect_gradient("log_softmax", last, {transpose(random({5, 3}))});
  expect_gradient("log_softmax", last, {slice(random({3, 11}), 1, 1, 11, 3)});
  expect_gradient("log_softmax", last, {expand(random({1, 4}), {3, 4})});
  expect_gradient("log_softmax", last, {expand(random({3, 1}), {3, 4})});
}

TEST(LogSoftmaxGrad, OfASharedInput) {
  expect_gradient("log_softmax", [](Inputs in) { return mul(in[0], log_softmax(in[0], -1)); },
                  {random({2, 4})});
}

// A fully masked row was NaN, and so were all gradients behind it. It is -inf with a zero gradient
// (BR-01).
TEST(LogSoftmaxGrad, OfAFullyMaskedRowIsZero) {
  const Variable x = parameter(matrix({{0, 0}, {-kInf, -kInf}}, DType::kFloat64));
  const Variable y = log_softmax(x, -1);
  backward(y, matrix({{1, 0}, {1, 2}}, DType::kFloat64));
  EXPECT_EQ(test::difference(x.grad(), matrix({{0.5, -0.5}, {0, 0}}, DType::kFloat64), 0, 1e-15),
            "");
}

TEST(LogSoftmaxGrad, StaleOutputIsAnError) {
  const Variable x = parameter(random({2, 3}));
  const Variable y = log_softmax(x, -1);
  add_into(slice(y.value(), 0, 0, 1), 1);
  EXPECT_THAT(
      [&] {
        backward(y, ones({2, 3}, DType::kFloat64));
      },
      ThrowsMessage<std::logic_error>(
          "log_softmax: expected the value saved for backward unchanged, got 1 in-place "
          "write since; saved=[2, 3]"));
  EXPECT_FALSE(x.grad().defined());
}

// The input is not saved: a write to it does no harm.
TEST(LogSoftmaxGrad, AWriteToTheInputDoesNotMatter) {
  const Tensor value = random({2, 3});
  const Variable x = parameter(value);
  const Variable y = log_softmax(x, -1);
  const Tensor dy = random({2, 3});
  const Tensor want = log_softmax_backward(y.value(), dy, -1);
  add_into(value, 1);
  backward(y, dy);
  EXPECT_EQ(test::difference(x.grad(), want, 0), "");
}

// Empty rows were an error for want of a maximum. Their gradient is empty (BR-33).
TEST(LogSoftmaxGrad, OfEmptyRows) {
  using Op = Variable (*)(const Variable&, int);
  for (const Op f : {Op{softmax}, Op{log_softmax}}) {
    const Variable x = parameter(zeros({2, 0}));
    backward(f(x, -1), zeros({2, 0}));
    EXPECT_EQ(x.grad().shape(), Shape({2, 0}));
  }
}

}  // namespace
}  // namespace gradwalk
