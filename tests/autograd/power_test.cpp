#include "autograd/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ElementsAre;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// Bases in [0.5, 2), so that the differences stay well conditioned.
Tensor bases(const Shape& shape, std::string_view name) {
  Generator generator(15, name);
  return uniform(shape, generator, 0.5, 2, DType::kFloat64);
}

Tensor exponents(const Shape& shape) {
  Generator generator(16, "exponents");
  return normal(shape, generator, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  ops.push_back({"pow",
                 "cube",
                 [](test::OpInputs in) { return pow(in[0], 3); },
                 {test::random({2, 5})},
                 true});
  const auto call = [](test::OpInputs in) { return pow(in[0], in[1]); };
  ops.push_back({"pow", "one shape", call, {test::positive({2, 3}), test::random({2, 3})}, true});
  ops.push_back({"pow", "stretched", call, {test::positive({3}), test::random({2, 1})}, true});
});

TEST(PowGrad, WithANumberMatchesCentralDifferences) {
  const Tensor x = bases({2, 3, 4}, "x");
  for (const double exponent : {2.0, 3.0, 0.5, -1.0, 1.0, 0.0, -2.5}) {
    const auto f = [=](Inputs in) { return pow(in[0], exponent); };
    for (const Tensor& base : {x, transpose(x), slice(x, 2, 1, 4, 2),
                               expand(bases({3}, "row"), {2, 3}), bases({}, "0-d")}) {
      expect_gradient("pow", f, {base});
    }
  }
  const Tensor negative = vector({-1.5, -0.5, 0.75}, DType::kFloat64);
  expect_gradient("pow", [](Inputs in) { return pow(in[0], 3); }, {negative});
  expect_gradient("pow", [](Inputs in) { return pow(in[0], 2) * in[0]; }, {negative});
}

TEST(PowGrad, OfTwoVariablesMatchesCentralDifferences) {
  const auto f = [](Inputs in) { return pow(in[0], in[1]); };
  const Tensor a = bases({2, 3, 4}, "a");
  const Tensor b = exponents({2, 4, 3});
  expect_gradient("pow", f, {a, transpose(b)});
  expect_gradient("pow", f, {transpose(a), b});
  expect_gradient("pow", f, {slice(a, 2, 1, 4, 2), exponents({3, 1})});
  expect_gradient("pow", f, {bases({2, 1, 3}, "c"), exponents({4, 1})});
  expect_gradient("pow", f, {bases({}, "d"), exponents({5})});
  expect_gradient("pow", f, {expand(bases({4}, "e"), {3, 4}), exponents({})});
  expect_gradient("pow", [](Inputs in) { return pow(in[0], in[0]); }, {a});  // x^x
}

Tensor gradient(const Variable& y, const Variable& x) {
  x.zero_grad();
  backward(y, full(y.shape(), 2, DType::kFloat64));
  return x.grad();
}

std::string is(const Tensor& got, std::initializer_list<double> want) {
  return test::difference(got, vector(want, DType::kFloat64), 1e-15);
}

TEST(PowGrad, ANumberAtBaseZeroAndBelow) {
  const Variable x = parameter(vector({0, -2, kNan}, DType::kFloat64));
  EXPECT_EQ(is(gradient(pow(x, 3), x), {0, 24, kNan}), "");
  EXPECT_EQ(is(gradient(pow(x, 2), x), {0, -8, kNan}), "");
  EXPECT_EQ(is(gradient(pow(x, 1), x), {2, 2, 2}), "");
  EXPECT_EQ(is(gradient(pow(x, 0), x), {0, 0, 0}), "");
  EXPECT_EQ(is(gradient(pow(x, 0.5), x), {kInf, kNan, kNan}), "");
  EXPECT_EQ(is(gradient(pow(x, -1), x), {-kInf, -0.5, kNan}), "");
}

TEST(PowGrad, BaseZeroAndBelow) {
  //                                 a: zero               negative       NaN
  const Variable a = parameter(vector({0, 0, 0, 0, 0, -2, -2, -2, kNan, kNan}, DType::kFloat64));
  const Variable b = parameter(vector({0, 1, 2, 0.5, -1, 2, 0, 0.5, 2, 0}, DType::kFloat64));
  const Tensor da = gradient(pow(a, b), a);
  EXPECT_EQ(is(da, {0, 2, 0, kInf, -kInf, -8, 0, kNan, kNan, 0}), "");
  // d/db = a^b log a: 0 at a = 0 for b >= 0, NaN below.
  const Tensor db = gradient(pow(a, b), b);
  EXPECT_EQ(is(db, {0, 0, 0, 0, -kInf, kNan, kNan, kNan, kNan, kNan}), "");
}

TEST(PowGrad, NanInTheExponentStaysVisible) {
  const Variable a = parameter(vector({2, 0}, DType::kFloat64));
  const Variable b = parameter(vector({kNan, kNan}, DType::kFloat64));
  EXPECT_EQ(is(gradient(pow(a, b), a), {kNan, kNan}), "");
  EXPECT_EQ(is(gradient(pow(a, b), b), {kNan, kNan}), "");
}

TEST(PowGrad, ByHand) {
  const Variable a = parameter(vector({3, 1}, DType::kFloat64));
  const Variable b = parameter(vector({2, 5}, DType::kFloat64));
  EXPECT_EQ(is(gradient(pow(a, b), a), {12, 10}), "");
  EXPECT_EQ(is(gradient(pow(a, b), b), {18 * std::log(3.0), 0}), "");
  const Variable x = parameter(vector({4}));
  backward(pow(x, 0.5), ones({1}));
  EXPECT_EQ(x.grad().dtype(), DType::kFloat32);
  EXPECT_EQ(x.grad().item(), 0.25);
}

// A saved value that was written to before backward gave a gradient of the new values without a
// word (BR-09).
TEST(PowGrad, AStaleValueIsAnErrorThatNamesTheOp) {
  const auto stale = ThrowsMessage<std::logic_error>(
      "pow: expected the value saved for backward unchanged, got 1 in-place write since; "
      "saved=[2]");
  enum { kBase, kExponent, kResult };
  for (const int changed : {kBase, kExponent, kResult}) {
    const Variable a = parameter(vector({1, 2}));
    const Variable b = parameter(vector({3, 4}));
    const Variable y = pow(a, b);
    add_into(slice((changed == kBase ? a : changed == kExponent ? b : y).value(), 0, 0, 1), 1);
    EXPECT_THAT([&] { backward(y, ones({2})); }, stale);
  }
  const Variable x = parameter(vector({1, 2}));
  const Variable y = pow(x, 3);
  add_into(x.value(), 1);
  EXPECT_THAT([&] { backward(y, ones({2})); }, stale);
}

TEST(PowGrad, ErrorsAreThoseOfTheValue) {
  EXPECT_THAT(
      [] {
        pow(parameter(zeros({2, 3})), parameter(zeros({2})));
      },
      ThrowsMessage<ShapeError>("pow: expected sizes that are equal or 1, aligned at the "
                                "last axis, got 3 and 2 at axis -1; a=[2, 3] b=[2]"));
}

}  // namespace
}  // namespace gradwalk
