#include "tensor/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/reference/compare.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Unary = Tensor (*)(const Tensor&);
using WithNumber = Tensor (*)(const Tensor&, double);

struct Comparison {
  const char* name;
  Binary ours, reference;
  WithNumber with_number;
  bool takes_bool;
};

constexpr Comparison kComparisons[] = {
    {"equal", equal, reference::equal, equal, true},
    {"not_equal", not_equal, reference::not_equal, not_equal, true},
    {"less", less, reference::less, less, false},
    {"less_equal", less_equal, reference::less_equal, less_equal, false},
    {"greater", greater, reference::greater, greater, false},
    {"greater_equal", greater_equal, reference::greater_equal, greater_equal, false}};

class ComparisonTest : public testing::TestWithParam<Comparison> {};

INSTANTIATE_TEST_SUITE_P(Compare, ComparisonTest, testing::ValuesIn(kComparisons),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(ComparisonTest, EqualsTheReference) {
  const Comparison op = GetParam();
  for_each_case(op.name, 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape));
    // Equal elements are met in the class of integers, and here.
    const Tensor b = c.below(4) == 0 ? a : c.tensor(c.narrowed(shape));
    const Tensor y = op.ours(a, b);
    EXPECT_EQ(test::difference(y, op.reference(a, b), 0), "");
    EXPECT_EQ(y.dtype(), DType::kBool);
    EXPECT_TRUE(y.is_contiguous());
  });
}

TEST_P(ComparisonTest, HoldsForInt64) {
  const Comparison op = GetParam();
  for_each_case(op.name, 100, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape), DType::kInt64, Values::kIntegers);
    const Tensor b = c.tensor(c.narrowed(shape), DType::kInt64, Values::kIntegers);
    EXPECT_EQ(test::difference(op.ours(a, b), op.reference(a, b), 0), "");
  });
}

TEST_P(ComparisonTest, NumbersStandForATensorOfThem) {
  const Comparison op = GetParam();
  for_each_case(op.name, 42, [&](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    for (const double number : {0.0, 0.1, -2.0, std::nan("")}) {
      const Tensor want = op.reference(x, full(x.shape(), number, x.dtype()));
      EXPECT_EQ(test::difference(op.with_number(x, number), want, 0), "");
    }
  });
  EXPECT_THAT([&] { op.with_number(arange(0, 3), 0.5); },
              ThrowsMessage<std::invalid_argument>(
                  std::string(op.name) +
                  ": expected a whole number beside an int64 tensor, got 0.5; x=[3]"));
  EXPECT_THROW(op.with_number(Tensor(), 0), std::invalid_argument);
}

TEST_P(ComparisonTest, OnlyEqualityIsForBool) {
  const Comparison op = GetParam();
  const Tensor a = vector({0, 0, 1, 1}, DType::kBool);
  const Tensor b = vector({0, 1, 0, 1}, DType::kBool);
  if (op.takes_bool) {
    EXPECT_EQ(test::difference(op.ours(a, b), op.reference(a, b), 0), "");
    return;
  }
  EXPECT_THAT(
      [&] { op.ours(a, b); },
      ThrowsMessage<std::invalid_argument>(
          std::string(op.name) + ": expected float32, float64 or int64, got bool; a=[4] b=[4]"));
}

TEST_P(ComparisonTest, ErrorsNameOpAndOperands) {
  const Comparison op = GetParam();
  const std::string name = op.name;
  EXPECT_THAT(
      [&] {
        op.ours(zeros({2, 3}), zeros({2}));
      },
      ThrowsMessage<ShapeError>(name + ": expected sizes that are equal or 1, aligned at "
                                       "the last axis, got 3 and 2 at axis -1; "
                                       "a=[2, 3] b=[2]"));
  EXPECT_THAT([&] { op.ours(zeros({2}), arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>(name + ": expected one dtype for a and b, got "
                                                          "float32 and int64; a=[2] b=[2]"));
  const auto undefined =
      ThrowsMessage<std::invalid_argument>(name + ": expected a tensor, got an undefined one");
  EXPECT_THAT([&] { op.ours(zeros({2}), Tensor()); }, undefined);
  EXPECT_THAT([&] { op.ours(Tensor(), zeros({2})); }, undefined);
}

TEST(Compare, ByHand) {
  const double nan = std::nan("");
  const Tensor a = vector({1, 2, 3, nan, nan, -0.0});
  const Tensor b = vector({2, 2, 2, 1, nan, 0});
  EXPECT_THAT(equal(a, b).to_vector(), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(not_equal(a, b).to_vector(), ElementsAre(1, 0, 1, 1, 1, 0));
  EXPECT_THAT(less(a, b).to_vector(), ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(less_equal(a, b).to_vector(), ElementsAre(1, 1, 0, 0, 0, 1));
  EXPECT_THAT(greater(a, b).to_vector(), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(greater_equal(a, b).to_vector(), ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_TRUE(equal(vector({0.1}), 0.1).item());  // as float32 has it
}

// Neighbours past 2^53 that a detour through float64 would call equal.
TEST(Compare, Int64IsExact) {
  const Tensor a = arange((std::int64_t{1} << 53), (std::int64_t{1} << 53) + 1);
  const Tensor b = arange((std::int64_t{1} << 53) + 1, (std::int64_t{1} << 53) + 2);
  EXPECT_FALSE(equal(a, b).item());
  EXPECT_TRUE(less(a, b).item());
}

struct Kind {
  const char* name;
  Unary ours, reference;
};

class KindTest : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Compare, KindTest,
                         testing::Values(Kind{"isnan", isnan, reference::isnan},
                                         Kind{"isinf", isinf, reference::isinf},
                                         Kind{"isfinite", isfinite, reference::isfinite}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(KindTest, EqualsTheReference) {
  for_each_case(GetParam().name, 210, [&](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Tensor y = GetParam().ours(x);
    EXPECT_EQ(test::difference(y, GetParam().reference(x), 0), "");
    EXPECT_EQ(y.dtype(), DType::kBool);
  });
}

TEST_P(KindTest, IsForFloats) {
  const std::string name = GetParam().name;
  EXPECT_THAT([&] { GetParam().ours(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>(
                  name + ": expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT(
      [&] { GetParam().ours(Tensor()); },
      ThrowsMessage<std::invalid_argument>(name + ": expected a tensor, got an undefined one"));
}

TEST(Compare, KindsByHand) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor x = vector({0, std::nan(""), inf, -inf, 3e38}, dtype);
    EXPECT_THAT(isnan(x).to_vector(), ElementsAre(0, 1, 0, 0, 0));
    EXPECT_THAT(isinf(x).to_vector(), ElementsAre(0, 0, 1, 1, 0));
    EXPECT_THAT(isfinite(x).to_vector(), ElementsAre(1, 0, 0, 0, 1));
  }
}

TEST(Logical, EqualsTheReference) {
  for_each_case("logical", 210, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape), DType::kBool, Values::kPlain);
    const Tensor b = c.tensor(c.narrowed(shape), DType::kBool, Values::kPlain);
    EXPECT_EQ(test::difference(logical_and(a, b), reference::logical_and(a, b), 0), "");
    EXPECT_EQ(test::difference(logical_or(a, b), reference::logical_or(a, b), 0), "");
    EXPECT_EQ(test::difference(logical_not(a), reference::logical_not(a), 0), "");
  });
}

TEST(Logical, TablesAndErrors) {
  const Tensor a = vector({0, 0, 1, 1}, DType::kBool);
  const Tensor b = vector({0, 1, 0, 1}, DType::kBool);
  EXPECT_THAT(logical_and(a, b).to_vector(), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(logical_or(a, b).to_vector(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(logical_not(b).to_vector(), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(
      [&] { logical_and(ones({2}), ones({2})); },
      ThrowsMessage<std::invalid_argument>("logical_and: expected bool, got float32; a=[2] b=[2]"));
  EXPECT_THAT(
      [&] { logical_or(a, ones({4})); },
      ThrowsMessage<std::invalid_argument>("logical_or: expected one dtype for a and b, got "
                                           "bool and float32; a=[4] b=[4]"));
  EXPECT_THAT([&] { logical_not(arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>("logical_not: expected bool, got int64; x=[2]"));
}

}  // namespace
}  // namespace gradwalk
