// What the engine does when a rule goes wrong, and that nothing it kept stays alive.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

using Rule = std::function<Grads(const Tensor&)>;

// a + b with another rule.
Variable odd(const Variable& a, const Variable& b, Rule rule) {
  return record("odd", add(a.value(), b.value()), {a, b}, std::move(rule));
}

// x and y have gradients already; the faulty op stands in the middle of the graph, with work before
// and after it.
class RuleError : public testing::Test {
 protected:
  RuleError() {
    backward(sum(x_ * 2.0) + sum(y_ * 3.0));
    inner_.retain_grad();
  }

  Variable loss(Rule rule) { return sum(odd(inner_, y_ * 1.0, std::move(rule)) * 2.0 + x_); }

  void expect_untouched() {
    EXPECT_THAT(x_.grad().to_vector(), ElementsAre(2, 2));
    EXPECT_THAT(y_.grad().to_vector(), ElementsAre(3, 3));
    EXPECT_FALSE(inner_.grad().defined());
  }

  const Variable x_ = parameter(vector({1, 2}));
  const Variable y_ = parameter(vector({3, 4}));
  const Variable inner_ = x_ * x_;
};

TEST_F(RuleError, WrongCount) {
  EXPECT_THAT(
      [&] { backward(loss([](const Tensor& dy) -> Grads { return {dy}; })); },
      ThrowsMessage<std::logic_error>("odd: expected 2 gradients from its backward rule, got 1"));
  expect_untouched();
  EXPECT_THROW(backward(loss([](const Tensor& dy) -> Grads {
                 return {dy, dy, dy, dy, dy};
               })),
               std::logic_error);
  expect_untouched();
}

TEST_F(RuleError, WrongShape) {
  EXPECT_THAT(
      [&] {
        backward(loss([](const Tensor& dy) -> Grads { return {dy, unsqueeze(dy, 0)}; }));
      },
      ThrowsMessage<std::logic_error>(
          "odd: expected a gradient [2] float32 for input 1, got [1, 2] "
          "float32"));
  expect_untouched();
}

TEST_F(RuleError, WrongDType) {
  EXPECT_THAT(
      [&] {
        backward(loss([](const Tensor& dy) -> Grads { return {to(dy, DType::kFloat64), dy}; }));
      },
      ThrowsMessage<std::logic_error>("odd: expected a gradient [2] float32 for input 0, got [2] "
                                      "float64"));
  expect_untouched();
}

TEST_F(RuleError, Exception) {
  EXPECT_THAT(
      [&] {
        backward(loss([](const Tensor&) -> Grads { throw std::runtime_error("from the rule"); }));
      },
      ThrowsMessage<std::runtime_error>("from the rule"));
  expect_untouched();
}

// What backward had passed before the error is let go, so the graph is used up; its leaves are as
// they were, and a new forward works.
TEST_F(RuleError, TheGraphIsUsedUpAndTheLeavesAreNot) {
  const Rule broken = [](const Tensor&) -> Grads { throw std::runtime_error("not yet"); };
  const Rule sound = [](const Tensor& dy) -> Grads { return {dy, dy}; };
  const Variable result = loss(broken);
  EXPECT_THROW(backward(result), std::runtime_error);
  EXPECT_THAT([&] { backward(result); },
              ThrowsMessage<std::logic_error>(testing::HasSubstr("a graph that was not used")));
  expect_untouched();
  backward(loss(sound));
  EXPECT_THAT(inner_.grad().to_vector(), ElementsAre(2, 2));
  EXPECT_THAT(x_.grad().to_vector(), ElementsAre(2 + 2 * 2 * 1 + 1, 2 + 2 * 2 * 2 + 1));
  EXPECT_THAT(y_.grad().to_vector(), ElementsAre(5, 5));
}

// A pass within a pass would use up nodes that the outer one is about to visit.
TEST_F(RuleError, BackwardInsideARuleIsRefused) {
  EXPECT_THAT(
      [&] {
        backward(loss([this](const Tensor& dy) -> Grads {
          backward(sum(x_ * 5.0));
          return {dy, dy};
        }));
      },
      ThrowsMessage<std::logic_error>("backward: expected a call from outside, got one from a "
                                      "backward rule or an observer"));
  expect_untouched();
  backward(sum(x_ * 5.0));
  EXPECT_THAT(x_.grad().to_vector(), ElementsAre(7, 7));
}

TEST(Rule, IsToldWhichInputsNeedAGradient) {
  const Variable x = parameter(vector({1, 2}));
  const Variable c = vector({3, 4});
  const auto odd_rule = [](const Tensor& dy, Needs needs) -> Grads {
    EXPECT_FALSE(needs[0]);
    EXPECT_TRUE(needs[1]);
    return {Tensor(), needs[1] ? dy * 2.0 : Tensor()};
  };
  backward(sum(record("odd", add(c.value(), x.value()), {c, x}, odd_rule)));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 2));
}

TEST(Rule, UndefinedGradientMeansThatNoneFlows) {
  const Variable x = parameter(vector({1, 2}));
  const Variable y = parameter(vector({3, 4}));
  backward(sum(odd(x * 2.0, y * 2.0, [](const Tensor& dy) -> Grads { return {dy, Tensor()}; })));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 2));
  EXPECT_FALSE(y.grad().defined());
}

TEST(Rule, RunsOnceWithTheWholeGradient) {
  const Variable x = parameter(vector({1, 2}));
  int calls = 0;
  const Variable y = record("odd", neg(x.value()), {x}, [&](const Tensor& dy) -> Grads {
    ++calls;
    EXPECT_THAT(dy.to_vector(), ElementsAre(5, 5));
    return {neg(dy)};
  });
  backward(sum(y * 2.0 + y * 3.0));
  EXPECT_EQ(calls, 1);
}

TEST(Rule, MoreInputsThanAShortListHolds) {
  std::vector<Variable> leaves;
  std::vector<Input> inputs;
  for (int i = 0; i < 5; ++i) leaves.push_back(parameter(scalar(i)));
  for (const Variable& leaf : leaves) inputs.emplace_back(leaf);
  const Variable y =
      record("five", scalar(10), std::span<const Input>(inputs), [](const Tensor& dy) -> Grads {
        return {dy, dy * 2.0, dy * 3.0, dy * 4.0, dy * 5.0};
      });
  backward(y);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(leaves[static_cast<std::size_t>(i)].grad().item(), i + 1);
  }
}

// A tensor that a rule keeps and returns is not handed out as the leaf's gradient.
TEST(Rule, CapturedTensorDoesNotBecomeTheGradient) {
  const Tensor constant = vector({7, 7});
  const Variable x = parameter(vector({1, 2}));
  backward(sum(record("odd", neg(x.value()), {x},
                      [constant](const Tensor&) -> Grads { return {constant}; })));
  fill(x.grad(), 0);
  EXPECT_THAT(constant.to_vector(), ElementsAre(7, 7));
}

TEST(Saved, NoticesWritesAndCountsThem) {
  const Tensor x = vector({1, 2});
  const Saved saved(x);
  EXPECT_EQ(saved.get().at({0}), 1);
  add_into(x, 1);
  add_into(x, 1);
  try {
    saved.get();
    FAIL();
  } catch (const StaleValue& stale) {
    EXPECT_EQ(stale.writes, 2U);
    EXPECT_EQ(stale.shape, Shape({2}));
  }
}

// An operand that was changed between forward and backward gave a gradient of the new values
// without a word: x * x, then x += 10. It is an error that names the op (BR-09).
TEST(Saved, StaleValueNamesTheOp) {
  const Variable x = parameter(vector({1, -2, 3}, DType::kFloat64));
  const Variable y = x * x;
  add_into(slice(x.value(), 0, 0, 3), 10);
  add_into(x.value(), 10);
  EXPECT_THAT(
      [&] {
        backward(y, vector({1, 1, 2}, DType::kFloat64));
      },
      ThrowsMessage<std::logic_error>("mul: expected the value saved for backward unchanged, "
                                      "got 2 in-place writes since; saved=[3]"));
  EXPECT_FALSE(x.grad().defined());
}

// The rule holds a token: when it is gone, rule and saved values are.
TEST(Release, BackwardDropsTheRules) {
  const auto token = std::make_shared<int>(0);
  const Variable x = parameter(vector({1, 2}));
  const Variable y =
      record("odd", neg(x.value()), {x}, [token](const Tensor& dy) -> Grads { return {neg(dy)}; });
  EXPECT_EQ(token.use_count(), 2);
  backward(sum(y));
  EXPECT_EQ(token.use_count(), 1);  // though y is still alive
}

TEST(Release, DroppingTheResultDropsTheGraph) {
  const auto token = std::make_shared<int>(0);
  const Variable x = parameter(vector({1, 2}));
  {
    const Variable y = sum(record("odd", neg(x.value()), {x},
                                  [token](const Tensor& dy) -> Grads { return {neg(dy)}; }));
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Release, NothingIsKeptWhereNoGradientIsNeeded) {
  const auto token = std::make_shared<int>(0);
  const Variable x = vector({1, 2});
  const Variable y =
      record("odd", neg(x.value()), {x}, [token](const Tensor& dy) -> Grads { return {neg(dy)}; });
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace gradwalk
