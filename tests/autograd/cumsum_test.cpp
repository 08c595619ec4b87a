#include "autograd/cumsum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ElementsAre;
using testing::IsNan;
using testing::ThrowsMessage;

using Inputs = std::vector<Variable>;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  for (const int axis : {0, 1, -1}) {
    const auto call = [axis](test::OpInputs in) { return cumsum(in[0], axis); };
    ops.push_back(
        {"cumsum", "axis " + std::to_string(axis), call, {test::random({2, 3, 4})}, false});
  }
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"cumsum", {test::wide()}, [](test::OpInputs in) { return cumsum(in[0], 0); }});
});

TEST(CumsumGrad, MatchesCentralDifference) {
  Generator gen(1, "cumsum");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  for (const Tensor& x :
       {draw({3, 5}), draw({1, 4}), draw({4, 1}), draw({2, 3, 19}), transpose(draw({5, 3})),
        slice(draw({2, 3, 10}), 2, 0, 10, 2), expand(draw({3, 4}), {2, 3, 4})}) {
    for (int axis = -x.ndim(); axis < x.ndim(); ++axis) {
      expect_gradient("cumsum", [=](const Inputs& in) { return cumsum(in[0], axis); }, {x});
    }
  }
  expect_gradient("cumsum", [](const Inputs& in) { return cumsum(in[0], 0); }, {draw({7})});
  expect_gradient("cumsum", [](const Inputs& in) { return cumsum(in[0], 1) * in[0]; },
                  {draw({2, 4})});
}

TEST(CumsumGrad, IsTheReversedCumulativeSum) {
  const Variable x = parameter(matrix({{1, 2, 3}, {4, 5, 6}}));
  backward(cumsum(x, -1), matrix({{1, 10, 100}, {2, 20, 200}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(111, 110, 100, 222, 220, 200));
  x.zero_grad();
  backward(cumsum(x, 0), matrix({{1, 10, 100}, {2, 20, 200}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3, 30, 300, 2, 20, 200));
}

TEST(CumsumGrad, NanAndEmpty) {
  const Variable x = parameter(vector({std::nan(""), 1, 2}));
  backward(cumsum(x, 0), vector({1, 2, 3}));  // does not depend on x
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(6, 5, 3));
  x.zero_grad();
  backward(cumsum(x, 0), vector({1, std::nan(""), 3}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(IsNan(), IsNan(), 3));
  const Variable none = parameter(zeros({2, 0}));
  backward(cumsum(none, 1), zeros({2, 0}));
  EXPECT_EQ(none.grad().shape(), Shape({2, 0}));
}

// Neither x nor y is kept.
TEST(CumsumGrad, ChangedInputDoesNotMatter) {
  const Variable x = parameter(vector({3, 1}));
  const Variable y = cumsum(x, 0);
  fill(x.value(), 0);
  fill(y.value(), 7);
  backward(y, vector({1, 2}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3, 2));
}

TEST(CumsumError, PassesThroughTheVariable) {
  EXPECT_THAT(
      [] { cumsum(Variable(), 0); },
      ThrowsMessage<std::invalid_argument>("cumsum: expected a tensor, got an undefined one"));
  EXPECT_THAT([] { cumsum(parameter(zeros({2})), 1); },
              ThrowsMessage<ShapeError>("cumsum: expected axis in [-1, 1), got 1; x=[2]"));
}

}  // namespace
}  // namespace gradwalk
