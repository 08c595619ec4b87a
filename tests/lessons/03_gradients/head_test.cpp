#include "lessons/03_gradients/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "lessons/course/engine/measure.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_03 {
namespace {

using testing::ElementsAre;

TEST(HeadGradients, ThreeWaysGiveOneGradient) {
  const Head head = random_head(Generator(3, "head"));
  const Tensor by_autograd = gradient_by_autograd(head);
  EXPECT_LT(course::relative_distance(gradient_by_formula(head), by_autograd), 1e-14);
  EXPECT_LT(course::relative_distance(gradient_by_difference(head, 1e-5), by_autograd), 1e-7);
}

TEST(HeadGradients, ATurnMovesOneNumberOfACopy) {
  const Head head = random_head(Generator(3, "head"));
  const Head now = turned(head, 1, 2, 0.5);
  EXPECT_DOUBLE_EQ(now.w_k.at({1, 2}) - head.w_k.at({1, 2}), 0.5);
  EXPECT_DOUBLE_EQ(sum(now.w_k - head.w_k).item(), 0.5);
}

TEST(HeadGradients, GoDownAgainstTheGradientAndUpAlongIt) {
  const Head head = random_head(Generator(3, "head"));
  const Tensor gradient = gradient_by_autograd(head);
  EXPECT_EQ(downhill(head, gradient, 1e-4), 32);
  EXPECT_EQ(downhill(head, neg(gradient), 1e-4), 0);
}

TEST(BackwardObserver, FollowsBackwardOpByOp) {
  BackwardObserver observer;
  const Head head = random_head(Generator(3, "head"));
  HeadGraph g;
  {
    const TraceScope scope(observer);
    g = forward(head);
    backward(g.loss);
  }
  observer.name(g.s, "s");
  observer.name(g.loss, "loss");
  ASSERT_EQ(observer.ops().size(), 9U);
  EXPECT_EQ(observer.forward_ops(), 9);
  const BackwardOp& first = observer.ops()[0];
  EXPECT_EQ(first.op, "mse");
  EXPECT_EQ(first.name, "loss");
  EXPECT_EQ(first.incoming, 1);
  std::vector<std::string> named;
  for (const BackwardOp& passed : observer.ops()) {
    if (passed.name == "s") named.push_back(passed.op + " " + passed.shape);
  }
  EXPECT_THAT(named, ElementsAre("div [6, 6]"));
}

// Ratios of the actual and the predicted fall of the loss, from a program that shares no code.
TEST(ToyGradient, PredictsTheFallOfTheLoss) {
  const tasks::Toy toy = tasks::toy_base();
  const Tensor g = toy_gradient(toy, false);
  const double start = toy_loss_along(toy, g, 0);
  const double squared = sum(g * g).item();
  const std::vector<std::pair<double, double>> golden = {
      {1e-1, 0.98175054}, {1e-2, 0.99823569}, {1e-3, 0.99982420}, {1e-4, 0.99998243}};
  for (const auto& [lr, ratio] : golden) {
    EXPECT_NEAR((toy_loss_along(toy, g, lr) - start) / (-lr * squared), ratio, 1e-8) << lr;
  }
  EXPECT_LT(course::distance(g, toy_state(toy).dw_q), 1e-16);
  EXPECT_GT(course::distance(g, toy_gradient(toy, true)), 0.1);
}

}  // namespace
}  // namespace gradwalk::lesson_03
