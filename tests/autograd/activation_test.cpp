#include "autograd/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ElementsAre;
using testing::ThrowsMessage;

struct Activation {
  const char* name;
  const char* op;
  Variable (*f)(const Variable&);
  bool saves_output;
};

Variable gelu_erf(const Variable& x) { return gelu(x); }
Variable gelu_tanh(const Variable& x) { return gelu(x, GeluForm::kTanh); }

constexpr Activation kActivations[] = {{"tanh", "tanh", tanh, true},
                                       {"sigmoid", "sigmoid", sigmoid, true},
                                       {"relu", "relu", relu, true},
                                       {"gelu_erf", "gelu", gelu_erf, false},
                                       {"gelu_tanh", "gelu", gelu_tanh, false},
                                       {"silu", "silu", silu, false},
                                       {"softplus", "softplus", softplus, false}};

class ActivationGrad : public testing::TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(All, ActivationGrad, testing::ValuesIn(kActivations),
                         [](const auto& param) { return std::string(param.param.name); });

// Off the kink of relu: at least 0.01 from 0.
Tensor off_zero(const Shape& shape, double spread, std::string_view name) {
  Generator generator(11, name);
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    const double value = spread * generator.normal();
    values.push_back(value + (value < 0 ? -0.01 : 0.01));
  }
  return from_vector(values, shape, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto unary = [&](const char* name, auto f) {
    ops.push_back(
        {name, "", [f](test::OpInputs in) { return f(in[0]); }, {test::random({2, 5})}, true});
  };
  using V = const Variable&;
  unary("tanh", [](V x) { return tanh(x); });
  unary("sigmoid", [](V x) { return sigmoid(x); });
  unary("relu", [](V x) { return relu(x); });
  unary("gelu", [](V x) { return gelu(x); });
  unary("gelu", [](V x) { return gelu(x, GeluForm::kTanh); });
  unary("silu", [](V x) { return silu(x); });
  unary("softplus", [](V x) { return softplus(x); });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"gelu_erf", {test::wide()}, [](test::OpInputs in) { return gelu(in[0]); }});
  works.push_back({"gelu_tanh", {test::wide()}, [](test::OpInputs in) {
                     return gelu(in[0], GeluForm::kTanh);
                   }});
  works.push_back({"silu", {test::wide()}, [](test::OpInputs in) { return silu(in[0]); }});
  works.push_back({"tanh", {test::wide()}, [](test::OpInputs in) { return tanh(in[0]); }});
});

TEST_P(ActivationGrad, MatchesCentralDifferences) {
  const Activation op = GetParam();
  const auto f = [&](const std::vector<Variable>& in) { return op.f(in[0]); };
  const Tensor x = off_zero({3, 4, 5}, 2, op.name);
  expect_gradient(op.op, f, {x});
  expect_gradient(op.op, f, {transpose(x)});
  expect_gradient(op.op, f, {slice(x, 2, 1, 5, 2)});
  expect_gradient(op.op, f, {expand(slice(x, 1, 0, 1), {3, 2, 5})});
  expect_gradient(op.op, f, {select(reshape(x, {60}), 0, 7)});  // 0-d
  expect_gradient(op.op, f, {zeros({0, 3}, DType::kFloat64)});
}

TEST_P(ActivationGrad, MatchesThroughViewsAndASharedInput) {
  const Activation op = GetParam();
  const Tensor x = off_zero({2, 3}, 1, op.name);
  expect_gradient(op.op,
                  [&](const std::vector<Variable>& in) {
                    return op.f(transpose(expand(in[0], {4, 2, 3})));
                  },
                  {x});
  expect_gradient(
      op.op,
      [&](const std::vector<Variable>& in) { return op.f(in[0]) * in[0] + op.f(in[0] + in[0]); },
      {x});
}

// A saved value that was written to before backward gave a gradient of the new values without a
// word. What the rule reads must be what was computed with (BR-09).
TEST_P(ActivationGrad, AStaleValueIsAnErrorThatNamesTheOp) {
  const Activation op = GetParam();
  const Variable x = parameter(vector({1, -2, 3}, DType::kFloat64));
  const Variable y = op.f(x);
  add_into(slice((op.saves_output ? y : x).value(), 0, 1, 2), 10);  // through a view
  EXPECT_THAT([&] { backward(y, ones({3}, DType::kFloat64)); },
              ThrowsMessage<std::logic_error>(
                  std::string(op.op) + ": expected the value saved for backward unchanged, got 1 "
                                       "in-place write since; saved=[3]"));
}

TEST_P(ActivationGrad, WhatIsNotSavedMayChange) {
  const Activation op = GetParam();
  const Tensor start = vector({1, -2, 3}, DType::kFloat64);
  const Variable untouched = parameter(start);
  backward(op.f(untouched), ones({3}, DType::kFloat64));
  const Variable x = parameter(clone(start));
  const Variable y = op.f(x);
  add_into((op.saves_output ? x : y).value(), 10);
  backward(y, ones({3}, DType::kFloat64));
  EXPECT_EQ(test::difference(x.grad(), untouched.grad(), 0), "");
}

TEST_P(ActivationGrad, KeepsFloat32AndNanStaysVisible) {
  const Variable x = parameter(vector({0.5, std::nan(""), 1}));
  const Variable y = GetParam().f(x);
  EXPECT_STREQ(y.op(), GetParam().op);
  backward(y, ones({3}));
  EXPECT_EQ(x.grad().dtype(), DType::kFloat32);
  const std::vector<double> dx = x.grad().to_vector();
  EXPECT_TRUE(std::isfinite(dx[0]));
  EXPECT_TRUE(std::isnan(dx[1]));
  EXPECT_TRUE(std::isfinite(dx[2]));
}

TEST_P(ActivationGrad, ErrorsAreThoseOfTheValue) {
  EXPECT_THAT([&] { GetParam().f(Variable(arange(0, 3))); },
              ThrowsMessage<std::invalid_argument>(
                  std::string(GetParam().op) + ": expected float32 or float64, got int64; x=[3]"));
}

// The gradient of relu at its kink was whatever a comparison happened to give, another for -0 than
// for 0. It is 0 for both (BR-35).
TEST(ActivationGradByHand, ReluAtTheKinkIsZero) {
  const auto report = test::bug_report("BR-35");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable x = parameter(test::tensor_from(report.at("inputs").at("relu_at")));
  backward(relu(x), ones({2}, DType::kFloat64));
  const double want =
      report.at("expected").at("relu_grad_at_0").at("accept_any_of").at(0).get<double>();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(want, want));
}

TEST(ActivationGradByHand, AtZero) {
  const auto slope_at_zero = [](auto f) {
    const Variable x = parameter(scalar(0, DType::kFloat64));
    backward(f(x), scalar(8, DType::kFloat64));
    return x.grad().item();
  };
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return tanh(x); }), 8);
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return sigmoid(x); }), 2);
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return gelu(x); }), 4);
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return gelu(x, GeluForm::kTanh); }), 4);
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return silu(x); }), 4);
  EXPECT_EQ(slope_at_zero([](const Variable& x) { return softplus(x); }), 4);
}

}  // namespace
}  // namespace gradwalk
