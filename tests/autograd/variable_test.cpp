#include "autograd/variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <utility>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "tensor/create.h"
#include "tensor/inplace.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(Variable, DefaultConstructedIsUndefined) {
  const Variable none;
  EXPECT_FALSE(none.defined());
  EXPECT_FALSE(none.requires_grad());
  EXPECT_FALSE(none.value().defined());
  EXPECT_FALSE(none.grad().defined());
  EXPECT_STREQ(none.op(), "none");
  EXPECT_NO_THROW(none.zero_grad());
}

TEST(Variable, UndefinedInAnOpIsAnError) {
  EXPECT_THAT([] { Variable() + parameter(scalar(1)); },
              ThrowsMessage<std::invalid_argument>("add: expected a tensor, got an undefined one"));
  EXPECT_THROW(sum(Variable()), std::invalid_argument);
  EXPECT_THROW(exp(Variable()), std::invalid_argument);
}

TEST(Variable, TensorIsAConstant) {
  const Variable x = vector({1, 2});
  EXPECT_FALSE(x.requires_grad());
  EXPECT_STREQ(x.op(), "leaf");
  EXPECT_FALSE((x * x).requires_grad());
  EXPECT_STREQ((x * x).op(), "leaf");  // nothing is recorded
}

TEST(Variable, ParameterWantsAGradientAndSharesItsTensor) {
  const Tensor value = vector({1, 2});
  const Variable x = parameter(value);
  EXPECT_TRUE(x.requires_grad());
  fill(value, 5);
  EXPECT_THAT(x.value().to_vector(), ElementsAre(5, 5));
  EXPECT_TRUE((x * 2.0).requires_grad());
  EXPECT_STREQ((x * 2.0).op(), "mul");
}

TEST(Variable, ParameterIsOfFloats) {
  EXPECT_THAT([] { parameter(arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>("parameter: expected float32 or float64, got "
                                                   "int64; x=[2]"));
  EXPECT_THAT(
      [] { parameter(Tensor()); },
      ThrowsMessage<std::invalid_argument>("parameter: expected a tensor, got an undefined one"));
}

TEST(Variable, CopiesAreTheSameVariable) {
  const Variable x = parameter(scalar(3));
  Variable copy = x;
  backward(x * x);
  EXPECT_EQ(copy.grad().item(), 6);
  EXPECT_EQ(copy.node(), x.node());
  Variable moved = std::move(copy);
  EXPECT_EQ(moved.node(), x.node());
  moved = x;
  const Variable& self = moved;
  moved = self;
  EXPECT_EQ(moved.value().item(), 3);
}

TEST(Variable, ZeroGradForgetsTheGradient) {
  const Variable x = parameter(scalar(3));
  backward(x * x);
  x.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  backward(x * 2.0);
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Variable, RetainGradKeepsThatOfAnInnerVariable) {
  const Variable x = parameter(scalar(3));
  const Variable kept = x * x;
  const Variable other = kept * 2.0;
  kept.retain_grad();
  backward(other * other);
  EXPECT_EQ(kept.grad().item(), 72);  // d (2k)^2 / dk = 8 k, k = 9
  EXPECT_FALSE(other.grad().defined());
  EXPECT_EQ(x.grad().item(), 72 * 6);
}

TEST(Variable, RetainGradOfTheResultItself) {
  const Variable x = parameter(scalar(3));
  const Variable loss = x * x;
  loss.retain_grad();
  backward(loss);
  EXPECT_EQ(loss.grad().item(), 1);
  loss.zero_grad();
  EXPECT_FALSE(loss.grad().defined());
}

TEST(Variable, RetainGradOfAConstantIsAnError) {
  EXPECT_THAT([] { Variable(scalar(1)).retain_grad(); },
              ThrowsMessage<std::logic_error>("retain_grad: expected a variable that needs a "
                                              "gradient, got a constant"));
  EXPECT_THROW(Variable().retain_grad(), std::logic_error);
}

TEST(Variable, DetachStopsTheGradient) {
  const Variable x = parameter(scalar(3));
  const Variable y = x * x;
  backward(x * y.detach());
  EXPECT_EQ(x.grad().item(), 9);
  EXPECT_FALSE(y.detach().requires_grad());
  EXPECT_EQ(y.detach().value().storage().get(), y.value().storage().get());
}

TEST(NoGrad, OpsInItsScopeAreConstants) {
  const Variable x = parameter(scalar(3));
  EXPECT_TRUE(grad_enabled());
  {
    const NoGrad outer;
    {
      const NoGrad inner;
      EXPECT_FALSE(grad_enabled());
    }
    EXPECT_FALSE(grad_enabled());
    EXPECT_FALSE((x * x).requires_grad());
  }
  EXPECT_TRUE(grad_enabled());
  EXPECT_TRUE((x * x).requires_grad());
}

TEST(NoGrad, EndsWhenAnErrorLeavesItsScope) {
  try {
    const NoGrad guard;
    throw std::runtime_error("error");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(grad_enabled());
}

TEST(NoGrad, HoldsForItsThreadOnly) {
  const NoGrad guard;
  bool other = false;
  std::thread([&] { other = grad_enabled(); }).join();
  EXPECT_TRUE(other);
}

TEST(NoGrad, BackwardWorksWithinIt) {
  const Variable x = parameter(scalar(3));
  const Variable y = x * x;
  const NoGrad guard;
  backward(y);
  EXPECT_EQ(x.grad().item(), 6);
}

}  // namespace
}  // namespace gradwalk
