#include "autograd/minmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
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
using Inputs = const std::vector<Variable>&;

// Distinct multiples of 0.1 (plus `shift`) in random order: operands with different shifts keep off
// each other, and off 0 and +-1, by more than the step of a central difference.
Tensor apart(const Shape& shape, double shift) {
  Generator generator(14, "apart");
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    values.push_back(0.1 * static_cast<double>(generator.below(41) - 20) + shift);
  }
  return from_vector(values, shape, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto unary = [&](const char* name, auto f) {
    ops.push_back(
        {name, "", [f](test::OpInputs in) { return f(in[0]); }, {test::random({2, 5})}, true});
  };
  unary("abs", [](const Variable& x) { return abs(x); });
  unary("clip", [](const Variable& x) { return clip(x, -0.5, 0.5); });

  const auto binary = [&](const char* name, auto f) {
    const auto call = [f](test::OpInputs in) { return f(in[0], in[1]); };
    ops.push_back({name, "one shape", call, {test::positive({2, 3}), test::random({2, 3})}, true});
    ops.push_back({name, "stretched", call, {test::positive({3}), test::random({2, 1})}, true});
  };
  binary("maximum", [](const Variable& a, const Variable& b) { return maximum(a, b); });
  binary("minimum", [](const Variable& a, const Variable& b) { return minimum(a, b); });
});

TEST(MinmaxGrad, MaximumAndMinimumMatchCentralDifferences) {
  const auto both = [](const std::vector<Tensor>& inputs) {
    expect_gradient(
        "maximum", [](Inputs in) { return maximum(in[0], in[1]); }, inputs);
    expect_gradient(
        "minimum", [](Inputs in) { return minimum(in[0], in[1]); }, inputs);
  };
  const Tensor a = apart({2, 3, 4}, 0.02);
  const Tensor b = apart({2, 4, 3}, 0.05);
  both({a, transpose(b)});
  both({transpose(a), b});
  both({slice(a, 2, 0, 4, 2), slice(transpose(b), 2, 1, 3)});
  both({apart({2, 1, 3}, 0.02), apart({4, 1}, 0.05)});
  both({apart({}, 0.02), apart({5}, 0.05)});
  both({expand(apart({4}, 0.02), {3, 4}), apart({3, 4}, 0.05)});
  both({zeros({0, 3}, DType::kFloat64), apart({3}, 0.05)});
  expect_gradient("maximum", [](Inputs in) { return maximum(in[0], -in[0]); }, {a});
  expect_gradient("minimum", [](Inputs in) { return minimum(in[0], in[0] * in[0]); }, {a});
}

TEST(MinmaxGrad, AbsAndClipMatchCentralDifferences) {
  const Tensor a = apart({2, 3, 4}, 0.02);
  for (const Tensor& x : {a, transpose(a), slice(a, 2, 1, 4, 2), expand(apart({3}, 0.03), {2, 3}),
                          apart({}, 0.04), zeros({2, 0}, DType::kFloat64)}) {
    expect_gradient("abs", [](Inputs in) { return abs(in[0]); }, {x});
    expect_gradient("clip", [](Inputs in) { return clip(in[0], -1, 0.5); }, {x});
  }
  expect_gradient("abs", [](Inputs in) { return abs(in[0]) * in[0]; }, {a});
  expect_gradient("clip", [](Inputs in) { return clip(in[0], 0, 1) * in[0]; }, {a});
}

// Two equal operands that both got the whole gradient made it twice as large. The parts of a tie
// add up to it: each operand gets half (BR-35).
TEST(MinmaxGrad, TiesAreShared) {
  const auto report = test::bug_report("BR-35");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& pair = report.at("inputs").at("maximum");
  const auto& expected = report.at("expected").at("maximum_grads");
  const Tensor upstream = test::tensor_from(pair.at("upstream"));
  const Variable a = parameter(test::tensor_from(pair.at("a")));
  const Variable b = parameter(test::tensor_from(pair.at("b")));
  backward(maximum(a, b), upstream);
  EXPECT_EQ(a.grad().at({0}), 5);
  EXPECT_EQ(b.grad().at({0}), 5);
  EXPECT_EQ(test::difference(slice(a.grad(), 0, 1, 3), test::tensor_from(expected.at("a_rest")), 0),
            "");
  EXPECT_EQ(test::difference(slice(b.grad(), 0, 1, 3), test::tensor_from(expected.at("b_rest")), 0),
            "");

  const Variable c = parameter(test::tensor_from(pair.at("a")));
  const Variable d = parameter(test::tensor_from(pair.at("b")));
  backward(minimum(c, d), upstream);
  EXPECT_THAT(c.grad().to_vector(), ElementsAre(5, 20, 0));
  EXPECT_THAT(d.grad().to_vector(), ElementsAre(5, 0, 30));
}

TEST(MinmaxGrad, OneVariableOnBothSidesGetsAllOfIt) {
  const Variable x = parameter(vector({-1, 0, 2}));
  backward(maximum(x, x), vector({1, 2, 3}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 2, 3));
}

TEST(MinmaxGrad, KinksAndBounds) {
  const Variable x = parameter(vector({-2, -1, -0.0, 0, 1, 2}));
  backward(abs(x), ones({6}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(-1, -1, 0, 0, 1, 1));
  x.zero_grad();
  backward(clip(x, -1, 1), ones({6}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 1, 1, 1, 1, 0));
}

TEST(MinmaxGrad, NanStaysVisible) {
  const double nan = std::nan("");
  const Variable a = parameter(vector({nan, 1, 2}));
  const Variable b = parameter(vector({0, nan, 1}));
  const auto is = [](const Variable& x, std::initializer_list<double> want) {
    return test::difference(x.grad(), vector(want), 0);
  };
  backward(maximum(a, b), ones({3}));
  EXPECT_EQ(is(a, {nan, nan, 1}), "");
  EXPECT_EQ(is(b, {nan, nan, 0}), "");
  a.zero_grad();
  backward(clip(a, 0, 1.5), ones({3}));
  EXPECT_EQ(is(a, {nan, 1, 0}), "");
  a.zero_grad();
  backward(abs(a), ones({3}));
  EXPECT_EQ(is(a, {nan, 1, 1}), "");
}

// A saved operand that was written to before backward gave a gradient of the new values without a
// word (BR-09).
TEST(MinmaxGrad, AStaleOperandIsAnErrorThatNamesTheOp) {
  const Tensor start = vector({1, -2, 3});
  const auto after_write = [&](auto f) {
    const Variable x = parameter(clone(start));
    const Variable y = f(x);
    add_into(slice(x.value(), 0, 0, 1), 10);
    backward(y, ones({3}));
  };
  const auto stale = [](const std::string& op) {
    return ThrowsMessage<std::logic_error>(
        op +
        ": expected the value saved for backward unchanged, got 1 in-place write since; "
        "saved=[3]");
  };
  const Tensor other = zeros({3});
  EXPECT_THAT([&] { after_write([](const Variable& x) { return abs(x); }); }, stale("abs"));
  EXPECT_THAT([&] { after_write([](const Variable& x) { return clip(x, 0, 1); }); }, stale("clip"));
  EXPECT_THAT([&] { after_write([&](const Variable& x) { return maximum(x, other); }); },
              stale("maximum"));
  EXPECT_THAT([&] { after_write([&](const Variable& x) { return minimum(other, x); }); },
              stale("minimum"));
}

TEST(MinmaxGrad, ErrorsAreThoseOfTheValue) {
  EXPECT_THAT([] { maximum(parameter(zeros({2})), parameter(zeros({2}, DType::kFloat64))); },
              ThrowsMessage<std::invalid_argument>("maximum: expected one dtype for a and b, got "
                                                   "float32 and float64; a=[2] b=[2]"));
  EXPECT_THAT(
      [] { clip(parameter(zeros({2})), 1, 0); },
      ThrowsMessage<std::invalid_argument>("clip: expected low <= high, got 1 and 0; x=[2]"));
}

}  // namespace
}  // namespace gradwalk
