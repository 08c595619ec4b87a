#include "autograd/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/grad_check.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"

// Central differences for every op and way of broadcasting: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

Variable wide(std::initializer_list<double> values) {
  return parameter(vector(values, DType::kFloat64));
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto binary = [&](const char* name, Variable (*f)(const Variable&, const Variable&),
                          bool saves) {
    const auto call = [f](test::OpInputs in) { return f(in[0], in[1]); };
    ops.push_back({name, "one shape", call, {test::random({2, 3}), test::positive({2, 3})}, saves});
    ops.push_back({name, "b a row", call, {test::random({2, 3}), test::positive({3})}, saves});
    ops.push_back({name, "a a row", call, {test::random({1, 3}), test::positive({2, 3})}, saves});
    ops.push_back(
        {name, "both stretch", call, {test::random({2, 1, 3}), test::positive({4, 1})}, saves});
    ops.push_back({name, "a scalar", call, {test::random({}), test::positive({2, 1})}, saves});
    ops.push_back({name, "b scalar", call, {test::random({2, 1}), test::positive({})}, saves});
    ops.push_back({name,
                   "shared",
                   [f](test::OpInputs in) { return f(in[0], in[0]); },
                   {test::positive({3})},
                   saves});
  };
  binary("add", add, false);
  binary("sub", sub, false);
  binary("mul", mul, true);
  binary("div", div, true);

  const auto unary = [&](const char* name, const char* how, bool saves, auto f) {
    ops.push_back(
        {name, how, [f](test::OpInputs in) { return f(in[0]); }, {test::positive({2, 3})}, saves});
  };
  unary("neg", "", false, [](const Variable& x) { return neg(x); });
  unary("exp", "", true, [](const Variable& x) { return exp(x); });
  unary("log", "", true, [](const Variable& x) { return log(x); });
  unary("sqrt", "", true, [](const Variable& x) { return sqrt(x); });
  unary("add", "x + 2", false, [](const Variable& x) { return x + 2.0; });
  unary("add", "2 + x", false, [](const Variable& x) { return 2.0 + x; });
  unary("sub", "x - 2", false, [](const Variable& x) { return x - 2.0; });
  unary("sub", "2 - x", false, [](const Variable& x) { return 2.0 - x; });
  unary("mul", "x * 3", false, [](const Variable& x) { return x * 3.0; });
  unary("mul", "3 * x", false, [](const Variable& x) { return 3.0 * x; });
  unary("div", "x / 4", false, [](const Variable& x) { return x / 4.0; });
  unary("div", "4 / x", true, [](const Variable& x) { return 4.0 / x; });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"add", {test::wide(), test::wide()}, [](test::OpInputs in) { return in[0] + in[1]; }});
  works.push_back(
      {"mul_stretched", {test::wide(), {517}}, [](test::OpInputs in) { return in[0] * in[1]; }});
  works.push_back({"exp", {test::wide()}, [](test::OpInputs in) { return exp(in[0]); }});
});

// A gradient kept the broadcast shape, or was summed over the stretched axes but not over those put
// in front. It is summed over both and keeps each operand's own shape (BR-06).
TEST(ElementwiseGrad, ProductOfTwoShapesThatBothStretch) {
  const Variable a = parameter(from_vector({1, -2, 0.5, 3, 0.25, -1}, {2, 1, 3}, DType::kFloat64));
  const Variable b = parameter(matrix({{2}, {-1}, {0.5}, {4}}, DType::kFloat64));
  const Tensor dy = from_vector(
      {-1, -3, 4, 2, 0, -2, -4, 3, 1, -1, -3, 4, 2, 0, -2, -4, 3, 1, -1, -3, 4, 2, 0, -2},
      {2, 4, 3}, DType::kFloat64);
  backward(a * b, dy);
  EXPECT_EQ(a.grad().shape(), Shape({2, 1, 3}));
  EXPECT_THAT(a.grad().to_vector(), ElementsAre(-10, -16.5, 26.5, 15.5, -4.5, -11));
  EXPECT_EQ(b.grad().shape(), Shape({4, 1}));
  EXPECT_THAT(b.grad().to_vector(), ElementsAre(15, -11.25, -17.25, 15));
}

TEST(ElementwiseGrad, SmallCasesByHand) {
  const Tensor dy = vector({1, 10}, DType::kFloat64);
  const auto gradients = [&](auto f) {
    const Variable a = wide({3, 5});
    const Variable b = wide({2, -4});
    backward(f(a, b), dy);
    std::vector<double> both = a.grad().to_vector();
    const std::vector<double> db = b.grad().to_vector();
    both.insert(both.end(), db.begin(), db.end());
    return both;
  };
  EXPECT_THAT(gradients([](auto& a, auto& b) { return a + b; }), ElementsAre(1, 10, 1, 10));
  EXPECT_THAT(gradients([](auto& a, auto& b) { return a - b; }), ElementsAre(1, 10, -1, -10));
  EXPECT_THAT(gradients([](auto& a, auto& b) { return a * b; }), ElementsAre(2, -40, 3, 50));
  EXPECT_THAT(gradients([](auto& a, auto& b) { return a / b; }),
              ElementsAre(0.5, -2.5, -0.75, -3.125));
}

TEST(ElementwiseGrad, SharedInputs) {
  const Tensor dy = vector({1, 10}, DType::kFloat64);
  const auto gradient = [&](auto f) {
    const Variable x = wide({3, 5});
    backward(f(x), dy);
    return x.grad().to_vector();
  };
  EXPECT_THAT(gradient([](auto& x) { return x + x; }), ElementsAre(2, 20));
  EXPECT_THAT(gradient([](auto& x) { return x - x; }), ElementsAre(0, 0));
  EXPECT_THAT(gradient([](auto& x) { return x * x; }), ElementsAre(6, 100));
  EXPECT_THAT(gradient([](auto& x) { return x / x; }), Each(testing::DoubleNear(0, 1e-15)));
}

TEST(ElementwiseGrad, NumbersOnEitherSide) {
  const Variable x = wide({2, -4});
  const auto gradient = [&](const Variable& y) {
    x.zero_grad();
    backward(y, vector({1, 10}, DType::kFloat64));
    return x.grad().to_vector();
  };
  EXPECT_THAT(gradient(-x), ElementsAre(-1, -10));
  EXPECT_THAT(gradient(x + 3.0), ElementsAre(1, 10));
  EXPECT_THAT(gradient(3.0 + x), ElementsAre(1, 10));
  EXPECT_THAT(gradient(x - 3.0), ElementsAre(1, 10));
  EXPECT_THAT(gradient(3.0 - x), ElementsAre(-1, -10));
  EXPECT_THAT(gradient(x * 3.0), ElementsAre(3, 30));
  EXPECT_THAT(gradient(3.0 * x), ElementsAre(3, 30));
  EXPECT_THAT(gradient(x / 4.0), ElementsAre(0.25, 2.5));
  EXPECT_THAT(gradient(4.0 / x), ElementsAre(-1, -2.5));
  EXPECT_THAT((4.0 / x).value().to_vector(), ElementsAre(2, -1));
  EXPECT_THAT((3.0 - x).value().to_vector(), ElementsAre(1, 7));
}

TEST(ElementwiseGrad, Float32GradientsAreFloat32) {
  const Variable x = parameter(vector({1, 4}));
  backward(sqrt(x), ones({2}));
  EXPECT_EQ(x.grad().dtype(), DType::kFloat32);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0.5, 0.25));
}

TEST(ElementwiseGrad, CompositionOfAllMatchesCentralDifferences) {
  Generator generator(5, "composition");
  const auto f = [](const std::vector<Variable>& in) {
    return log(exp(in[0]) + 1.0) / sqrt(in[1] * in[1] + 2.0) - in[0] * -in[1];
  };
  const GradCheckReport report =
      grad_check("composition", f, {normal({2, 3}, generator), normal({3}, generator)});
  EXPECT_TRUE(report.ok) << report.message;
}

TEST(ElementwiseGrad, EmptyTensors) {
  const Variable a = parameter(zeros({0, 3}));
  const Variable b = parameter(zeros({3}));
  backward(a * b, zeros({0, 3}));
  EXPECT_EQ(a.grad().shape(), Shape({0, 3}));
  EXPECT_THAT(b.grad().to_vector(), ElementsAre(0, 0, 0));
}

TEST(ElementwiseError, IsThatOfTheValue) {
  const Variable a = parameter(zeros({2, 3}));
  EXPECT_THAT(
      [&] { a* parameter(zeros({2})); },
      ThrowsMessage<ShapeError>("mul: expected sizes that are equal or 1, aligned at the last "
                                "axis, got 3 and 2 at axis -1; a=[2, 3] b=[2]"));
  EXPECT_THAT(
      [&] { a + parameter(zeros({3}, DType::kFloat64)); },
      ThrowsMessage<std::invalid_argument>("add: expected one dtype for a and b, got float32 "
                                           "and float64; a=[2, 3] b=[3]"));
  EXPECT_EQ(a.value().version(), Variable(zeros({2, 3})).value().version());
}

}  // namespace
}  // namespace gradwalk
