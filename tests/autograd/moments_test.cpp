#include "autograd/moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Inputs = std::vector<Variable>;

std::vector<Tensor> layouts(std::uint64_t seed) {
  Generator gen(seed, "moments");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  return {draw({3, 5}), transpose(draw({5, 3})), slice(draw({2, 3, 10}), 2, 1, 10, 2),
          expand(draw({4, 1}), {4, 3})};
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
  reduce("var", [](const Variable& x, auto... how) { return var(x, how...); });
  reduce("norm", [](const Variable& x, auto... how) { return norm(x, how...); });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"var", {test::wide()}, [](test::OpInputs in) { return var(in[0], -1); }});
});

TEST(VarGrad, MatchesCentralDifference) {
  for (const Tensor& x : layouts(1)) {
    expect_gradient("var", [](const Inputs& in) { return var(in[0]); }, {x});
    expect_gradient("var", [](const Inputs& in) { return var(in[0], -2); }, {x});
    expect_gradient("var", [](const Inputs& in) { return var(in[0], {-1, -2}, true, 0); }, {x});
    expect_gradient("var", [](const Inputs& in) { return var(in[0], 0, true, 0); }, {x});
  }
  // A row of one value alone: the variance is 0 and has no slope.
  const Variable flat = parameter(full({2, 4}, 3));
  backward(var(flat, 1), ones({2}));
  EXPECT_THAT(flat.grad().to_vector(), Each(0));
}

TEST(NormGrad, MatchesCentralDifference) {
  for (const Tensor& x : layouts(2)) {
    expect_gradient("norm", [](const Inputs& in) { return norm(in[0]); }, {x});
    expect_gradient("norm", [](const Inputs& in) { return norm(in[0], -1); }, {x});
    expect_gradient("norm", [](const Inputs& in) { return norm(in[0], {-2, -1}, true); }, {x});
    expect_gradient("norm", [](const Inputs& in) { return norm(in[0], 0, true); }, {x});
  }
}

TEST(MomentsGrad, OfASharedInput) {
  const Tensor x = layouts(3)[0];
  expect_gradient("norm", [](const Inputs& in) { return in[0] / norm(in[0], 1, true); }, {x});
  expect_gradient("var", [](const Inputs& in) { return in[0] * var(in[0], 1, true); }, {x});
}

TEST(NormGrad, IsZeroAtZero) {
  const Variable x = parameter(matrix({{0, 0}, {3, 4}}));
  backward(norm(x, 1), vector({7, 5}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0, 3, 4));
}

TEST(NormGrad, OfHugeAndTinyNumbers) {
  const Variable x = parameter(matrix({{3e200, 4e200}, {3e-200, 4e-200}}, DType::kFloat64));
  backward(norm(x, 1), ones({2}, DType::kFloat64));
  EXPECT_EQ(test::difference(x.grad(), matrix({{0.6, 0.8}, {0.6, 0.8}}, DType::kFloat64), 1e-15),
            "");
}

// In float32 the mean would be rounded to a multiple of 0.001 here, and x - mean be off by as much.
TEST(VarGrad, FarFromZeroInFloat32) {
  const Variable x = parameter(vector({10000, 10001, 10003, 10006.5}));
  backward(var(x, 0, false, 0));
  EXPECT_EQ(test::difference(x.grad(), vector({-1.3125, -0.8125, 0.1875, 1.9375}), 1e-7), "");
}

TEST(VarGrad, OfTooFewNumbersIsNan) {
  const Variable x = parameter(vector({1}));
  backward(var(x));
  EXPECT_TRUE(std::isnan(x.grad().item()));
}

TEST(MomentsGrad, EmptyInput) {
  const Variable x = parameter(zeros({0}));
  backward(norm(x) + var(x));
  EXPECT_EQ(x.grad().shape(), Shape({0}));
}

TEST(MomentsGrad, StaleInputNamesTheOp) {
  const Variable x = parameter(vector({1, 2, 3}));
  const Variable variance = var(x);
  const Variable length = norm(x);
  add_into(x.value(), 1);
  EXPECT_THAT([&] { backward(variance); },
              ThrowsMessage<std::logic_error>("var: expected the value saved for backward "
                                              "unchanged, got 1 in-place write since; saved=[3]"));
  EXPECT_THAT([&] { backward(length); },
              ThrowsMessage<std::logic_error>("norm: expected the value saved for backward "
                                              "unchanged, got 1 in-place write since; saved=[3]"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(MomentsError, PassesThroughTheVariable) {
  EXPECT_THAT([] { var(Variable()); },
              ThrowsMessage<std::invalid_argument>("var: expected a tensor, got an undefined one"));
  EXPECT_THAT([] { norm(Variable(), 0); }, ThrowsMessage<std::invalid_argument>(
                                               "norm: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
