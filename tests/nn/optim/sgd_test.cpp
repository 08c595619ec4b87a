#include "nn/optim/sgd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(Sgd, StepGoesAgainstTheGradient) {
  const Variable w = parameter(vector({1, -2}));
  Sgd sgd({w}, 0.25);
  backward(sum(w * w));
  sgd.step();
  EXPECT_THAT(w.value().to_vector(), ElementsAre(0.5, -1));  // w - 0.25 * 2 w
}

TEST(Sgd, ParameterWithoutAGradientStays) {
  const Variable w = parameter(scalar(1));
  const Variable idle = parameter(scalar(5));
  Sgd sgd({w, idle}, 1);
  backward(w * 2.0);
  sgd.step();
  EXPECT_EQ(w.value().item(), -1);
  EXPECT_EQ(idle.value().item(), 5);
}

TEST(Sgd, ZeroGradForgetsAllGradients) {
  const Variable w = parameter(scalar(1));
  Sgd sgd({w}, 1);
  backward(w * 2.0);
  sgd.zero_grad();
  sgd.step();
  EXPECT_EQ(w.value().item(), 1);
  EXPECT_FALSE(w.grad().defined());
}

TEST(Sgd, FindsTheMinimumOfAParabola) {
  const Variable w = parameter(scalar(5, DType::kFloat64));
  Sgd sgd({w}, 0.1);
  for (int i = 0; i < 200; ++i) {
    sgd.zero_grad();
    backward((w - 3.0) * (w - 3.0));
    sgd.step();
  }
  EXPECT_NEAR(w.value().item(), 3, 1e-12);
}

TEST(Sgd, WritesIntoTheTensorThatTheParameterWasMadeFrom) {
  const Tensor weight = transpose(matrix({{1, 2}, {3, 4}}));
  const Variable w = parameter(weight);
  Sgd sgd({w}, 1);
  backward(sum(w));
  sgd.step();
  EXPECT_THAT(weight.to_vector(), ElementsAre(0, 2, 1, 3));
}

TEST(Sgd, StepBetweenForwardAndBackwardIsNoticed) {
  const Variable w = parameter(scalar(3));
  Sgd sgd({w}, 1);
  backward(w * 2.0);
  const Variable loss = w * w;
  sgd.step();
  EXPECT_THROW(backward(loss), std::logic_error);
}

TEST(SgdError, LearningRate) {
  const auto with_rate = [](double lr) { Sgd({parameter(scalar(1))}, lr); };
  EXPECT_THAT([&] { with_rate(0); },
              ThrowsMessage<std::invalid_argument>("Sgd: expected a finite lr > 0, got 0"));
  EXPECT_THROW(with_rate(-1), std::invalid_argument);
  EXPECT_THROW(with_rate(std::nan("")), std::invalid_argument);
  EXPECT_THROW(with_rate(std::numeric_limits<double>::infinity()), std::invalid_argument);
}

TEST(SgdError, ConstantsAndResultsAreNoParameters) {
  const Variable w = parameter(vector({1, 2}));
  EXPECT_THAT(
      [&] {
        Sgd({w, Variable(zeros({3}))}, 1);
      },
      ThrowsMessage<std::invalid_argument>("Sgd: expected parameters that need a gradient, "
                                           "got a constant at 1; parameter=[3]"));
  EXPECT_THAT([&] { Sgd({w * 2.0}, 1); }, ThrowsMessage<std::invalid_argument>(
                                              "Sgd: expected leaves, got the result of mul at 0; "
                                              "parameter=[2]"));
  EXPECT_THROW(Sgd({Variable()}, 1), std::invalid_argument);
}

// A tied weight that is listed under both of its names moved twice in one step. (BR-48, found with
// AdamW)
TEST(SgdError, ParameterListedTwice) {
  const Variable w = parameter(vector({1, 2}));
  const Variable other = parameter(scalar(1));
  EXPECT_THAT(
      [&] {
        Sgd({w, other, w}, 1);
      },
      ThrowsMessage<std::invalid_argument>("Sgd: expected each parameter once, got one "
                                           "at 0 and 2; parameter=[2]"));
}

// Slope 1 throughout: steps of lr 1, 1 + m, 1 + m + m^2, ...
TEST(Sgd, MomentumKeepsAShareOfTheLastStep) {
  const Variable x = parameter(scalar(0, DType::kFloat64));
  Sgd sgd({x}, 0.5, 0.5);
  double want = 0;
  for (const double speed : {1.0, 1.5, 1.75}) {
    sgd.zero_grad();
    backward(x * 1.0);
    sgd.step();
    want -= 0.5 * speed;
    EXPECT_DOUBLE_EQ(x.value().item(), want);
  }
  EXPECT_THAT([&] { Sgd({x}, 0.5, 1); }, testing::ThrowsMessage<std::invalid_argument>(
                                             "Sgd: expected 0 <= momentum < 1, got 1"));
}

}  // namespace
}  // namespace gradwalk::nn
