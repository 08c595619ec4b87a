#include "autograd/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

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
using testing::ElementsAre;
using testing::ThrowsMessage;

using Inputs = std::vector<Variable>;

Tensor draw(const Shape& shape, std::uint64_t seed) {
  Generator gen(seed, "join");
  return normal(shape, gen, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 5});
  const Tensor y = test::random({2, 3});
  ops.push_back({"concat",
                 "",
                 [](test::OpInputs in) {
                   return concat({in[0], in[1]}, 1);
                 },
                 {x, y},
                 false});
  ops.push_back({"concat",
                 "shared",
                 [](test::OpInputs in) {
                   return concat({in[0], in[0]}, 0);
                 },
                 {x},
                 false});
  ops.push_back({"stack",
                 "",
                 [](test::OpInputs in) {
                   return stack({in[0], in[1]}, -1);
                 },
                 {y, test::positive({2, 3})},
                 false});
  ops.push_back({"split",
                 "",
                 [](test::OpInputs in) {
                   return split(in[0], 1, {2, 3})[1];
                 },
                 {x},
                 false});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"concat", {test::wide(), test::wide()}, [](test::OpInputs in) {
                     return concat({in[0], in[1]}, 1);
                   }});
});

TEST(JoinGrad, ConcatMatchesCentralDifference) {
  const auto along = [](int axis) {
    return [axis](const Inputs& in) { return concat(std::span<const Variable>(in), axis); };
  };
  const std::vector<Tensor> rows = {draw({1, 3}, 1), transpose(draw({3, 2}, 2)),
                                    slice(draw({8, 3}, 3), 0, 0, 8, 2),
                                    expand(draw({1}, 4), {2, 3}), zeros({0, 3}, DType::kFloat64)};
  expect_gradient("concat", along(0), rows);
  expect_gradient("concat", along(-2), rows);
  expect_gradient("concat", along(-1), {draw({2, 1}, 5), draw({2, 3}, 6)});
  expect_gradient("concat", along(1), {draw({2, 3, 2}, 7), expand(draw({2, 1, 1}, 8), {2, 2, 2})});
  expect_gradient("concat", along(0), {draw({4}, 9)});
}

TEST(JoinGrad, StackMatchesCentralDifference) {
  const std::vector<Tensor> rows = {draw({2, 3}, 1), transpose(draw({3, 2}, 2)),
                                    expand(draw({3}, 3), {2, 3}),
                                    slice(draw({2, 6}, 4), 1, 0, 6, 2)};
  for (const int axis : {0, 1, 2, -1, -3}) {
    expect_gradient(
        "stack", [axis](const Inputs& in) { return stack(std::span<const Variable>(in), axis); },
        rows);
  }
  expect_gradient("stack",
                  [](const Inputs& in) {
                    return stack({in[0], in[1]}, 0);
                  },
                  {draw({}, 5), draw({}, 6)});
}

TEST(JoinGrad, SplitMatchesCentralDifference) {
  const auto weighted = [](const std::vector<Variable>& pieces) {
    return pieces[0] * pieces[1] + pieces[2];
  };
  for (const Tensor& x :
       {draw({2, 6}, 1), transpose(draw({6, 2}, 2)), expand(draw({6}, 3), {2, 6})}) {
    expect_gradient("split", [&](const Inputs& in) { return weighted(split(in[0], 1, 3)); }, {x});
    expect_gradient("split",
                    [&](const Inputs& in) {
                      return weighted(split(in[0], -1, {2, 2, 2}));
                    },
                    {x});
    expect_gradient("split", [](const Inputs& in) { return split(in[0], 1, {1, 5})[1]; }, {x});
  }
}

// x + x in another dress: both places bring their part.
TEST(JoinGrad, OfASharedInput) {
  const Variable x = parameter(vector({1, 2}));
  backward(concat({x, x}, 0), vector({1, 2, 30, 40}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(31, 42));
  x.zero_grad();
  backward(stack({x, x}, -1), matrix({{1, 30}, {2, 40}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(31, 42));
}

TEST(JoinGrad, PiecesThatAreNotUsedGetZeros) {
  const Variable x = parameter(vector({1, 2, 3}));
  const std::vector<std::int64_t> sizes{1, 2};
  backward(split(x, 0, sizes)[1], vector({5, 6}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 5, 6));
}

TEST(JoinGrad, ConstantsAreJoinedToo) {
  const Variable x = parameter(vector({1}));
  const Variable y = concat({x, vector({7})}, 0);
  EXPECT_TRUE(y.requires_grad());
  backward(y, vector({3, 4}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3));
  EXPECT_FALSE(concat({Variable(vector({7})), Variable(vector({8}))}, 0).requires_grad());
}

// Nothing of the parts is kept, so an in-place write afterwards does no harm.
TEST(JoinGrad, OfChangedPartsIsRight) {
  const Variable x = parameter(vector({1, 2}));
  const Variable y = concat({x, x}, 0);
  const Variable z = stack({x}, 0);
  const Variable piece = split(x, 0, 2)[0];
  fill(x.value(), 9);
  EXPECT_THAT(y.value().to_vector(), ElementsAre(1, 2, 1, 2));  // a copy
  EXPECT_THAT(piece.value().to_vector(), ElementsAre(9));       // a view
  backward(y, vector({1, 2, 3, 4}));
  backward(z, matrix({{10, 20}}));
  backward(piece, vector({100}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(114, 26));
}

TEST(JoinError, PassesThroughTheVariable) {
  EXPECT_THAT(
      [] {
        concat({Variable(zeros({2})), Variable()}, 0);
      },
      ThrowsMessage<std::invalid_argument>("concat: expected tensors, got an undefined one "
                                           "as parts[1]"));
  EXPECT_THAT(
      [] { split(Variable(), 0, 2); },
      ThrowsMessage<std::invalid_argument>("split: expected a tensor, got an undefined one"));
  EXPECT_THROW(stack(std::span<const Variable>(), 0), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
