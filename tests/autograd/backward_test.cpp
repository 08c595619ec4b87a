#include "autograd/backward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

Variable number(double value) { return parameter(scalar(value, DType::kFloat64)); }

TEST(Backward, ChainRule) {
  const Variable x = number(2);
  backward(exp(x * x) / 3.0);
  EXPECT_DOUBLE_EQ(x.grad().item(), 4 * std::exp(4.0) / 3);
}

TEST(Backward, GradientHasTheLeafsShapeAndDType) {
  const Variable x = parameter(zeros({2, 3}));
  backward(sum(x));
  EXPECT_EQ(x.grad().shape(), Shape({2, 3}));
  EXPECT_EQ(x.grad().dtype(), DType::kFloat32);
}

TEST(Backward, OfALeafIsTheUpstreamGradient) {
  const Variable x = parameter(vector({1, 2}));
  const Tensor dy = vector({3, 4});
  backward(x, dy);
  fill(dy, 0);  // the caller's buffer is not the gradient
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3, 4));
}

TEST(Backward, TakesAnUpstreamGradientOfAnyLayout) {
  const Variable x = parameter(vector({1, 2}));
  backward(x * 3.0, slice(vector({1, 9, 2, 9}), 0, 0, 4, 2));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(3, 6));
}

TEST(Backward, ALossMayHaveAxesOfSizeOne) {
  const Variable x = parameter(matrix({{2}}));
  backward(x * x);
  EXPECT_EQ(x.grad().shape(), Shape({1, 1}));
  EXPECT_EQ(x.grad().item(), 4);
}

TEST(Backward, AddsToTheGradientThatIsThere) {
  const Variable x = number(3);
  backward(x * x);
  backward(x * 2.0);
  EXPECT_EQ(x.grad().item(), 8);
}

TEST(Backward, AccumulationLeavesATensorThatTheCallerKept) {
  const Variable x = number(3);
  backward(x * x);
  const Tensor first = x.grad();
  backward(x * 2.0);
  EXPECT_EQ(first.item(), 6);
}

// A walk that goes depth-first handed on the gradient of a node before all of its consumers had
// added theirs, so some of it was lost (BR-11).
TEST(Backward, InnerNodeReachedBySeveralPaths) {
  const Variable x = number(1.5);
  const Variable a = x * x;
  const Variable b = a + a;
  const Variable c = a * b;
  const Variable f = c + 3.0 * a + x;
  EXPECT_EQ(f.value().item(), 18.375);
  backward(f);
  EXPECT_EQ(x.grad().item(), 37);  // 8 x^3 + 6 x + 1
}

// One more doubling a level: 2^60 paths, 60 nodes.
TEST(Backward, DiamondsTakeTimeByNodesAndNotByPaths) {
  const Variable x = number(1);
  Variable y = x;
  for (int i = 0; i < 60; ++i) y = y + y;
  backward(y);
  EXPECT_EQ(x.grad().item(), 0x1p60);
}

TEST(Backward, DiamondsWithoutBackwardAreReleased) {
  const std::int64_t live = memory_stats().used_blocks;
  {
    Variable y = number(1);
    for (int i = 0; i < 60; ++i) y = y * y + y;
  }
  EXPECT_EQ(memory_stats().used_blocks, live);
}

// A second backward added to what an inner node had kept of the first: a leaf had 12 where two
// passes make 8. It is an error (BR-12).
TEST(Backward, TwiceOnOneGraphIsAnError) {
  const Variable a = number(3);
  const Variable b = number(2);
  const Variable d = number(4);
  const Variable e = (a + b) * d;
  backward(e);
  EXPECT_THAT([&] { backward(e); }, ThrowsMessage<std::logic_error>(
                                        "backward: expected a graph that was not used before, "
                                        "got one whose op mul was; run the forward again"));
  EXPECT_EQ(a.grad().item(), 4);
  EXPECT_EQ(b.grad().item(), 4);
  EXPECT_EQ(d.grad().item(), 5);
  for (const Variable& leaf : {a, b, d}) leaf.zero_grad();
  backward((a + b) * d);
  EXPECT_EQ(a.grad().item(), 4);
  EXPECT_EQ(b.grad().item(), 4);
  EXPECT_EQ(d.grad().item(), 5);
}

TEST(Backward, ThroughAPartThatWasUsedIsAnError) {
  const Variable x = number(3);
  const Variable shared = exp(x);
  backward(shared * 2.0);
  const Tensor before = x.grad();
  EXPECT_THAT(
      [&] { backward(shared * x); },
      ThrowsMessage<std::logic_error>("backward: expected a graph that was not used before, "
                                      "got one whose op exp was; run the forward again"));
  EXPECT_EQ(x.grad().item(), before.item());
  x.zero_grad();
  backward(x * 5.0);  // marks of the refused pass are gone
  EXPECT_EQ(x.grad().item(), 5);
}

// The rule of add hands one buffer to both operands; stored without a copy, clipping one gradient
// changed the other (BR-15).
TEST(Backward, TwoLeavesNeverShareAGradient) {
  const Variable x = parameter(vector({1, 2}, DType::kFloat64));
  const Variable y = parameter(vector({3, 4}, DType::kFloat64));
  const Tensor w = vector({10, 20}, DType::kFloat64);
  const Tensor v = ones({2}, DType::kFloat64);
  backward(sum((x + y) * w) + sum(x * v));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(11, 21));
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(10, 20));
  mul_into(x.grad(), 0.5);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(5.5, 10.5));
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(10, 20));
}

TEST(Backward, TwoLeavesOfOneSumShareNothing) {
  const Variable x = parameter(vector({1, 2}));
  const Variable y = parameter(vector({3, 4}));
  backward(sum(x + y));
  fill(x.grad(), 7);
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(1, 1));
}

// The rule of sum returns an expanded view, in which one number stands for all.
TEST(Backward, ExpandedGradientBecomesATensorOfItsOwn) {
  const Variable x = parameter(zeros({2, 3}));
  backward(sum(x));
  fill(select(x.grad(), 0, 0), 5);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(5, 5, 5, 1, 1, 1));
}

TEST(Backward, RetainedGradientsShareNothingEither) {
  const Variable x = parameter(vector({1, 2}));
  const Variable y = x + 0.0;
  y.retain_grad();
  backward(sum(y + y));
  fill(y.grad(), 9);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 2));
}

// A part of the graph to which no gradient flows: the leaf behind it gets none.
TEST(Backward, LeafBeyondAnUndefinedGradientGetsNone) {
  const Variable x = number(3);
  const Variable unused = number(4);
  backward(x * 2.0 + unused.detach());
  EXPECT_FALSE(unused.grad().defined());
}

TEST(BackwardError, LossWithMoreThanOneElement) {
  const Variable x = parameter(zeros({2, 3}));
  EXPECT_THAT([&] { backward(x * 2.0); },
              ThrowsMessage<ShapeError>("backward: expected a loss with one element (or pass the "
                                        "gradient dy), got 6; loss=[2, 3]"));
  EXPECT_THAT([] { backward(Variable()); },
              ThrowsMessage<std::invalid_argument>("backward: expected a loss, got an undefined "
                                                   "variable"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(BackwardError, Constants) {
  EXPECT_THAT(
      [] { backward(Variable(scalar(1))); },
      ThrowsMessage<std::logic_error>("backward: expected a result made from parameters, got "
                                      "a constant"));
  const Variable x = number(1);
  const NoGrad guard;
  EXPECT_THROW(backward(x * 2.0), std::logic_error);
}

TEST(BackwardError, UpstreamGradientOfAnotherShapeOrDType) {
  const Variable x = parameter(zeros({2}));
  const Variable y = x * 2.0;
  EXPECT_THAT([&] { backward(y, zeros({3})); },
              ThrowsMessage<ShapeError>("backward: expected dy [2] float32, got [3] float32; y=[2] "
                                        "dy=[3]"));
  EXPECT_THROW(backward(y, zeros({2}, DType::kFloat64)), std::invalid_argument);
  EXPECT_NO_THROW(backward(y, zeros({2})));
}

// An undefined tensor has the shape and dtype of a float32 number: it passed, no gradient flowed,
// and the graph was used up.
TEST(BackwardError, UndefinedUpstreamGradient) {
  const Variable x = parameter(scalar(3));
  const Variable y = x * 2.0;
  EXPECT_THAT([&] { backward(y, Tensor()); },
              ThrowsMessage<std::invalid_argument>("backward: expected a tensor, got an undefined "
                                                   "one"));
  backward(y);
  EXPECT_EQ(x.grad().item(), 2);
}

}  // namespace
}  // namespace gradwalk
