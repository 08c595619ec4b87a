#include "tensor/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reference/elementwise.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Unary = Tensor (*)(const Tensor&);

struct BinaryOp {
  const char* name;
  Binary ours, reference;
};
struct UnaryOp {
  const char* name;
  Unary ours, reference;
  double epsilons;  // how many units in the last place the two may differ
};

constexpr BinaryOp kBinaries[] = {{"add", add, reference::add},
                                  {"sub", sub, reference::sub},
                                  {"mul", mul, reference::mul},
                                  {"div", div, reference::div}};

class BinaryTest : public testing::TestWithParam<BinaryOp> {};

// The reference computes in float64 and rounds to float32. Both are IEEE operations, and 53 bits
// are more than 2 * 24 + 1, so rounding twice changes nothing: the bits are equal.
TEST_P(BinaryTest, EqualsTheReferenceBitForBit) {
  const BinaryOp op = GetParam();
  for_each_case(op.name, 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape));
    const Tensor b = c.tensor(c.narrowed(shape));
    const Tensor y = op.ours(a, b);
    EXPECT_EQ(test::difference(y, op.reference(a, b), 0), "");
    EXPECT_EQ(y.dtype(), a.dtype());
    EXPECT_TRUE(y.is_contiguous());
  });
}

TEST_P(BinaryTest, HoldsForInt64) {
  const BinaryOp op = GetParam();
  if (op.ours == Binary{div}) {
    EXPECT_THAT([] { div(arange(1, 3), arange(1, 3)); },
                ThrowsMessage<std::invalid_argument>(
                    "div: expected float32 or float64, got int64; a=[2] b=[2]"));
    return;
  }
  for_each_case(op.name, 100, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape), DType::kInt64, Values::kIntegers);
    const Tensor b = c.tensor(c.narrowed(shape), DType::kInt64, Values::kIntegers);
    EXPECT_EQ(test::difference(op.ours(a, b), op.reference(a, b), 0), "");
  });
}

TEST_P(BinaryTest, ErrorsNameOpAndOperandsAndLeaveThem) {
  const BinaryOp op = GetParam();
  const std::string name = op.name;
  const Tensor a = matrix({{1, 2, 3}, {4, 5, 6}});
  const std::uint64_t version = a.version();
  EXPECT_THAT([&] { op.ours(a, zeros({2})); },
              ThrowsMessage<ShapeError>(name + ": expected sizes that are equal or 1, aligned at "
                                               "the last axis, got 3 and 2 at axis -1; "
                                               "a=[2, 3] b=[2]"));
  EXPECT_THAT([&] { op.ours(a, zeros({3}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(name + ": expected one dtype for a and b, got "
                                                          "float32 and float64; a=[2, 3] b=[3]"));
  EXPECT_THROW(op.ours(ones({2}, DType::kBool), ones({2}, DType::kBool)), std::invalid_argument);
  const auto refuses = [&](const Tensor& left, const Tensor& right) {
    EXPECT_THAT(
        [&] { op.ours(left, right); },
        ThrowsMessage<std::invalid_argument>(name + ": expected a tensor, got an undefined one"));
  };
  refuses(a, Tensor());
  refuses(Tensor(), a);
  EXPECT_EQ(a.version(), version);
  EXPECT_THAT(a.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
}

INSTANTIATE_TEST_SUITE_P(Elementwise, BinaryTest, testing::ValuesIn(kBinaries),
                         [](const auto& param) { return std::string(param.param.name); });

class UnaryTest : public testing::TestWithParam<UnaryOp> {};

TEST_P(UnaryTest, EqualsTheReference) {
  const UnaryOp op = GetParam();
  for_each_case(op.name, 280, [&](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Tensor want = op.reference(x);
    const Tensor bound = test::sum_bound(test::finite_sizes(want), c.dtype(), op.epsilons);
    EXPECT_EQ(test::difference(op.ours(x), want, bound), "");
  });
}

TEST_P(UnaryTest, RefusesUndefinedTensorsAndBools) {
  const UnaryOp op = GetParam();
  const std::string name = op.name;
  EXPECT_THAT([&] { op.ours(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                              name + ": expected a tensor, got an undefined one"));
  EXPECT_THROW(op.ours(ones({2}, DType::kBool)), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, UnaryTest,
                         testing::Values(UnaryOp{"neg", neg, reference::neg, 0},
                                         UnaryOp{"exp", exp, reference::exp, 1},
                                         UnaryOp{"log", log, reference::log, 1},
                                         UnaryOp{"sqrt", sqrt, reference::sqrt, 0}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Elementwise, SmallCasesByHand) {
  const Tensor a = vector({1, -2, 8});
  const Tensor b = vector({4, 0.5, 2});
  EXPECT_THAT(add(a, b).to_vector(), ElementsAre(5, -1.5, 10));
  EXPECT_THAT(sub(a, b).to_vector(), ElementsAre(-3, -2.5, 6));
  EXPECT_THAT(mul(a, b).to_vector(), ElementsAre(4, -1, 16));
  EXPECT_THAT(div(a, b).to_vector(), ElementsAre(0.25, -4, 4));
  EXPECT_THAT(neg(a).to_vector(), ElementsAre(-1, 2, -8));
  EXPECT_THAT(exp(scalar(0)).item(), 1);
  EXPECT_THAT(log(scalar(1)).item(), 0);
  EXPECT_THAT(sqrt(b).to_vector()[0], 2);
}

// The values of a product of which both operands stretch, one having an axis fewer; its gradients
// were once left with the broadcast shape (BR-06).
TEST(Elementwise, BothOperandsStretch) {
  const Tensor a = from_vector({1, -2, 0.5, 3, 0.25, -1}, {2, 1, 3}, DType::kFloat64);
  const Tensor b = matrix({{2}, {-1}, {0.5}, {4}}, DType::kFloat64);
  const Tensor y = a * b;
  EXPECT_EQ(y.shape(), Shape({2, 4, 3}));
  EXPECT_THAT(y.to_vector(), ElementsAre(2, -4, 1, -1, 2, -0.5, 0.5, -1, 0.25, 4, -8, 2, 6, 0.5, -2,
                                         -3, -0.25, 1, 1.5, 0.125, -0.5, 12, 1, -4));
}

TEST(Elementwise, FollowsIeee754) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(div(scalar(1), scalar(0)).item(), inf);
  EXPECT_EQ(div(scalar(1), scalar(-0.0)).item(), -inf);
  EXPECT_TRUE(std::isnan(div(scalar(0), scalar(0)).item()));
  EXPECT_EQ(log(scalar(0)).item(), -inf);
  EXPECT_TRUE(std::isnan(log(scalar(-1)).item()));
  EXPECT_TRUE(std::isnan(sqrt(scalar(-1)).item()));
  EXPECT_EQ(exp(scalar(-inf)).item(), 0);
  EXPECT_TRUE(std::signbit(neg(scalar(0)).item()));
  EXPECT_EQ(mul(scalar(1e30), scalar(1e30)).item(), inf);  // float32
}

TEST(Elementwise, Int64WrapsAround) {
  const Tensor large = full({1}, 0x1p62, DType::kInt64);
  const Tensor lowest = full({1}, -0x1p63, DType::kInt64);
  EXPECT_EQ((large + large).item(), -0x1p63);
  EXPECT_EQ((lowest - large).item(), 0x1p62);
  EXPECT_EQ((large * 4.0).item(), 0);
  EXPECT_EQ(neg(lowest).item(), -0x1p63);
}

TEST(Operators, AreTheFunctionsWithNumbersOnEitherSide) {
  const Tensor x = vector({1, 4}, DType::kFloat64);
  EXPECT_THAT((x + x).to_vector(), ElementsAre(2, 8));
  EXPECT_THAT((x - 0.5).to_vector(), ElementsAre(0.5, 3.5));
  EXPECT_THAT((0.5 - x).to_vector(), ElementsAre(-0.5, -3.5));
  EXPECT_THAT((x + 1.0).to_vector(), ElementsAre(2, 5));
  EXPECT_THAT((1.0 + x).to_vector(), ElementsAre(2, 5));
  EXPECT_THAT((x * 2.0).to_vector(), ElementsAre(2, 8));
  EXPECT_THAT((2.0 * x).to_vector(), ElementsAre(2, 8));
  EXPECT_THAT((x / 2.0).to_vector(), ElementsAre(0.5, 2));
  EXPECT_THAT((2.0 / x).to_vector(), ElementsAre(2, 0.5));
  EXPECT_THAT((-x).to_vector(), ElementsAre(-1, -4));
  EXPECT_EQ((arange(0, 2) + 1.0).dtype(), DType::kInt64);
}

TEST(Operators, FractionsBesideInt64AreErrors) {
  const Tensor x = arange(0, 3);
  EXPECT_THAT([&] { x * 0.5; }, ThrowsMessage<std::invalid_argument>(
                                    "mul: expected a whole number beside an int64 tensor, got 0.5; "
                                    "x=[3]"));
  EXPECT_THAT([&] { x + std::nan(""); },
              ThrowsMessage<std::invalid_argument>(
                  "add: expected a whole number beside an int64 tensor, got nan; x=[3]"));
  EXPECT_THROW(1e30 - x, std::invalid_argument);
  EXPECT_THROW(Tensor() + 1.0, std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
