#include "autograd/triangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
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
  const Tensor x = test::random({2, 5});
  ops.push_back({"tril", "", [](test::OpInputs in) { return tril(in[0], 1); }, {x}, false});
  ops.push_back({"triu", "", [](test::OpInputs in) { return triu(in[0]); }, {x}, false});
});

TEST(TriangleGrad, MatchesCentralDifference) {
  Generator gen(1, "triangle");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  for (const Tensor& x : {draw({3, 4}), transpose(draw({2, 4, 3})),
                          slice(draw({2, 3, 6}), 2, 0, 6, 2), expand(draw({4, 1}), {2, 4, 3})}) {
    for (const std::int64_t diagonal : {-1, 0, 2}) {
      expect_gradient("tril", [=](const Inputs& in) { return tril(in[0], diagonal); }, {x});
      expect_gradient("triu", [=](const Inputs& in) { return triu(in[0], diagonal); }, {x});
    }
  }
  expect_gradient("tril", [](const Inputs& in) { return tril(in[0]) * in[0] + triu(in[0]); },
                  {draw({3, 3})});
}

TEST(TriangleGrad, IsZeroWhereNanWasCutOff) {
  const Variable x = parameter(matrix({{1, std::nan("")}, {3, 4}}));
  backward(tril(x), matrix({{10, 20}, {30, 40}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(10, 0, 30, 40));
}

// Nothing is saved, so an in-place write afterwards does no harm.
TEST(TriangleGrad, OfAChangedInputIsRight) {
  const Variable x = parameter(ones({2, 2}));
  const Variable y = triu(x);
  fill(x.value(), 5);
  backward(y, matrix({{1, 2}, {3, 4}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 2, 0, 4));
  EXPECT_THAT([] { tril(Variable()); }, ThrowsMessage<std::invalid_argument>(
                                            "tril: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
