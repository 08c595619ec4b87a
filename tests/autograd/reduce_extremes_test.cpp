// The gradients of max and min.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
#include "autograd/reduce.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Inputs = std::vector<Variable>;

// Different numbers in some layout: no ties, which would be kinks.
std::vector<Tensor> layouts(std::uint64_t seed) {
  Generator gen(seed, "extremes");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  return {draw({3, 5}), transpose(draw({5, 3})),
          slice(slice(draw({6, 10}), 0, 1, 6, 2), 1, 0, 10, 2),
          permute(expand(draw({3, 5, 1}), {3, 5, 2}), {2, 0, 1})};
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto reduce = [&](const char* name, auto f) {
    const Tensor x = test::random({2, 3, 4});
    ops.push_back({name, "all", [f](test::OpInputs in) { return f(in[0]); }, {x}, true});
    ops.push_back({name,
                   "two",
                   [f](test::OpInputs in) {
                     return f(in[0], Axes{0, -1}, false);
                   },
                   {x},
                   true});
    ops.push_back({name, "kept", [f](test::OpInputs in) { return f(in[0], 1, true); }, {x}, true});
  };
  reduce("max", [](const Variable& x, auto... how) { return max(x, how...); });
  reduce("min", [](const Variable& x, auto... how) { return min(x, how...); });
});

TEST(ExtremesGrad, MatchesCentralDifference) {
  for (const Tensor& x : layouts(1)) {
    expect_gradient("max", [](const Inputs& in) { return max(in[0]); }, {slice(x, 0, 0, 1)});
    expect_gradient("max", [](const Inputs& in) { return max(in[0], -1); }, {x});
    expect_gradient("max", [](const Inputs& in) { return max(in[0], -2, /*keepdims=*/true); }, {x});
    expect_gradient("max", [](const Inputs& in) { return max(in[0], {-1, -2}); }, {x});
    expect_gradient("min", [](const Inputs& in) { return min(in[0], -1, /*keepdims=*/true); }, {x});
    expect_gradient("min", [](const Inputs& in) { return min(in[0], {-2, -1}); }, {x});
  }
  expect_gradient("min", [](const Inputs& in) { return min(in[0]); }, {layouts(2)[1]});
}

TEST(ExtremesGrad, OfASharedInput) {
  expect_gradient("max",
                  [](const Inputs& in) { return max(in[0], 0) * min(in[0], 0) + max(in[0]); },
                  {layouts(3)[0]});
}

// A gradient that went whole to each of several equal maxima grew on the way. It is shared equally,
// and the parts add up to the upstream (BR-35).
TEST(ExtremesGrad, TiesShareBr35) {
  const nlohmann::json report = test::bug_report("BR-35");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable x = parameter(test::tensor_from(report["inputs"]["x"]));
  backward(max(x));
  EXPECT_EQ(test::difference(
                x.grad(), test::tensor_from(report["expected"]["grad_x"]["accept_any_of"][1]), 0),
            "");
  const Variable y = parameter(matrix({{2, 2, 2}, {0, 1, 0}}));
  backward(min(y, 1), vector({6, 4}));
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(2, 2, 2, 2, 0, 2));
}

// A NaN vanished in a maximum by where it stood, or spread to other rows. It is visible in the
// value, and the gradient stays within its row (BR-36).
TEST(ExtremesGrad, NanTakesTheGradientOfItsOwnRowOnly) {
  const Variable x = parameter(matrix({{1, std::nan("")}, {3, 2}}));
  const Variable y = max(x, 1);
  EXPECT_TRUE(std::isnan(y.value().at({0})));
  backward(y, vector({5, 7}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 5, 7, 0));
}

TEST(ExtremesGrad, OfAnEmptyResultHasTheShapeOfX) {
  const Variable x = parameter(zeros({2, 0}));
  backward(max(x, 0), zeros({0}));
  EXPECT_EQ(x.grad().shape(), Shape({2, 0}));
}

TEST(ExtremesGrad, StaleInputNamesTheOp) {
  for (const bool largest : {true, false}) {
    const Variable x = parameter(vector({1, 2, 3}));
    const Variable y = largest ? max(x) : min(x);
    add_into(x.value(), 1);
    EXPECT_THAT(
        [&] { backward(y); },
        ThrowsMessage<std::logic_error>(
            std::string(largest ? "max" : "min") +
            ": expected the value saved for backward unchanged, got 1 in-place write since; "
            "saved=[3]"));
    EXPECT_FALSE(x.grad().defined());
  }
}

TEST(ReduceError, UndefinedVariableIsNamedAsSuch) {
  for (const auto& call : {+[] { max(Variable(), 0); }, +[] { min(Variable()); },
                           +[] { sum(Variable(), 0); }, +[] { mean(Variable(), 0); }}) {
    EXPECT_THAT(call, testing::ThrowsMessage<std::invalid_argument>(
                          testing::HasSubstr("expected a tensor, got an undefined one")));
  }
}

}  // namespace
}  // namespace gradwalk
