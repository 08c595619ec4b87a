#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/gradient_table.h"
#include "autograd/matmul.h"
#include "ops.h"
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

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  ops.push_back({"outer",
                 "",
                 [](test::OpInputs in) { return outer(in[0], in[1]); },
                 {test::random({3}), test::random({2})},
                 true});
});

TEST(OuterGrad, MatchesCentralDifference) {
  Generator gen(1, "outer");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  const auto both = [](const Inputs& in) { return outer(in[0], in[1]); };
  expect_gradient("outer", both, {draw({3}), draw({4})});
  expect_gradient("outer", both, {slice(draw({6}), 0, 0, 6, 2), select(draw({4, 2}), 1, 1)});
  expect_gradient("outer", both, {expand(draw({1}), {3}), draw({1})});
  expect_gradient("outer", both, {zeros({0}, DType::kFloat64), draw({2})});
  expect_gradient("outer", [](const Inputs& in) { return outer(in[0], in[0]); }, {draw({5})});
}

TEST(OuterGrad, SmallCase) {
  const Variable a = parameter(vector({1, 2}));
  const Variable b = parameter(vector({3, 4, 5}));
  backward(outer(a, b), matrix({{1, 0, 2}, {0, 1, 0}}));
  EXPECT_THAT(a.grad().to_vector(), ElementsAre(13, 4));
  EXPECT_THAT(b.grad().to_vector(), ElementsAre(1, 2, 2));
}

TEST(OuterGrad, StaleOperandNamesTheOp) {
  const Variable a = parameter(vector({1, 2}));
  const Variable y = outer(a, parameter(vector({3})));  // whose gradient needs a
  fill(a.value(), 0);
  EXPECT_THAT(
      [&] {
        backward(y, ones({2, 1}));
      },
      ThrowsMessage<std::logic_error>("outer: expected the value saved for backward "
                                      "unchanged, got 1 in-place write since; saved=[2]"));
  EXPECT_THAT([&] { outer(a, Variable()); }, ThrowsMessage<std::invalid_argument>(
                                                 "outer: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
