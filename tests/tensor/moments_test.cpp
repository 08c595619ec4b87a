#include "tensor/moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/moments.h"
#include "tensor/reference/reduce.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Chosen {
  Axes named;              // some of them counted from the end
  std::vector<int> plain;  // the same in [0, ndim)
  double terms = 1;        // elements of a slice
};

Chosen some_axes(RandomCase& c, const Shape& shape) {
  Chosen chosen;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (c.below(2) == 0) continue;
    chosen.named.push_back(c.below(2) == 0 ? axis : axis - shape.ndim());
    chosen.plain.push_back(axis);
    chosen.terms *= static_cast<double>(shape[axis]);
  }
  return chosen;
}

Tensor dropped(const Tensor& kept, const Tensor& like) { return reshape(kept, like.shape()); }

// What was computed in float64, to within `error`, is rounded once to the dtype. Where the error
// alone leaves the range of the dtype, nothing is claimed.
Tensor rounded(const Tensor& error, const Tensor& want, DType dtype) {
  return error + test::sum_bound(test::finite_sizes(want) + error, dtype, 1);
}

Tensor largest_of(const Tensor& x, const Chosen& chosen) {
  return reference::max(test::finite_sizes(x), chosen.plain, /*keepdims=*/true);
}

// A sum of n squares of deviations, each at most twice the largest |x|: n + 8 roundings of float64
// (mean, difference, square, sum, division). A rounded mean shifts all deviations by n roundings of
// the largest |x|, which is within the same bound.
Tensor bound_of_var(const Tensor& x, const Tensor& want, const Chosen& chosen) {
  const Tensor largest = largest_of(x, chosen);
  return rounded(test::sum_bound(mul(largest, largest) * 4, DType::kFloat64, chosen.terms + 8),
                 want, x.dtype());
}

TEST(Var, EqualsTheReference) {
  for_each_case("var", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const std::int64_t correction = c.below(3);
    const Tensor want = reference::var(x, chosen.plain, correction);
    const Tensor bound = bound_of_var(x, want, chosen);
    EXPECT_EQ(difference(var(x, chosen.named, /*keepdims=*/true, correction), want, bound), "");
    const Tensor y = var(x, chosen.named, /*keepdims=*/false, correction);
    EXPECT_EQ(difference(y, dropped(want, y), dropped(bound, y)), "");
    EXPECT_EQ(y.dtype(), x.dtype());
  });
}

TEST(VarBackward, EqualsTheReference) {
  for_each_case("var_backward", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const std::int64_t correction = c.below(3);
    const Tensor dy = c.tensor(reference::var(x, chosen.plain, 1).shape());
    const Tensor want = reference::var_backward(x, dy, chosen.plain, correction);
    // dy 2 (x - m) / d: what is rounded is at most 4 |dy| times the largest |x|.
    const Tensor size = mul(test::finite_sizes(dy), largest_of(x, chosen)) * 4;
    const Tensor error = test::sum_bound(size, DType::kFloat64, chosen.terms + 8);
    const Tensor bound = rounded(expand(error, x.shape()), want, x.dtype());
    EXPECT_EQ(difference(var_backward(x, dy, chosen.named, correction), want, bound), "");
  });
}

TEST(Norm, EqualsTheReference) {
  for_each_case("norm", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const Tensor want = reference::norm(x, chosen.plain);
    // Both take n roundings of float64 for the sum, relative to the result.
    const Tensor bound =
        rounded(test::sum_bound(test::finite_sizes(want), DType::kFloat64, 2 * chosen.terms + 4),
                want, x.dtype());
    EXPECT_EQ(difference(norm(x, chosen.named, /*keepdims=*/true), want, bound), "");
    const Tensor y = norm(x, chosen.named);
    EXPECT_EQ(difference(y, dropped(want, y), dropped(bound, y)), "");
  });
}

TEST(NormBackward, EqualsTheReference) {
  for_each_case("norm_backward", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const Tensor dy = c.tensor(reference::norm(x, chosen.plain).shape());
    const Tensor want = reference::norm_backward(x, dy, chosen.plain);
    const Tensor size = expand(test::finite_sizes(dy), x.shape());  // |x / norm| <= 1
    const Tensor bound =
        rounded(test::sum_bound(size, DType::kFloat64, 2 * chosen.terms + 4), want, x.dtype());
    EXPECT_EQ(difference(norm_backward(x, dy, chosen.named), want, bound), "");
  });
}

TEST(Var, SmallCases) {
  const Tensor x = matrix({{1, 3}, {2, 6}}, DType::kFloat64);
  EXPECT_THAT(var(x, 1).to_vector(), ElementsAre(2, 8));
  EXPECT_THAT(var(x, 1, false, /*correction=*/0).to_vector(), ElementsAre(1, 4));
  EXPECT_EQ(var(x).item(), 14.0 / 3);  // deviations -2, 0, -1, 3
  EXPECT_EQ(var(x, {0, -1}, /*keepdims=*/true).shape(), Shape({1, 1}));
  EXPECT_THAT(var_backward(x, vector({1, 10}, DType::kFloat64), 1).to_vector(),
              ElementsAre(-2, 2, -40, 40));
}

TEST(Var, OfTooFewNumbersIsNan) {
  EXPECT_TRUE(std::isnan(var(zeros({0})).item()));
  EXPECT_TRUE(std::isnan(var(zeros({0}), 0, false, /*correction=*/0).item()));
  EXPECT_TRUE(std::isnan(var(scalar(5)).item()));
  EXPECT_EQ(var(scalar(5), Axes(), false, /*correction=*/0).item(), 0);
  EXPECT_TRUE(std::isnan(var(vector({1, 2}), 0, false, /*correction=*/2).item()));
  EXPECT_TRUE(std::isnan(var_backward(vector({1}), scalar(1), 0).item()));
  EXPECT_EQ(var(zeros({2, 0}), 0).shape(), Shape({0}));
}

// In float32 mean(x^2) - mean(x)^2 is 0 here, or negative: squares near 1e8 are 8 apart, the fault
// that once spoiled layer norms, in a variance of its own (BR-18).
TEST(Var, FarFromZeroKeepsItsDigits) {
  EXPECT_EQ(var(vector({10000, 10001, 10003, 10006})).item(), 7);
  // Also where one float64 pass would lose them, and with a mean that rounds.
  const Tensor x = vector({1e15, 1e15 + 1, 1e15 + 1}, DType::kFloat64);
  EXPECT_THAT(var(x).item(), DoubleEq(1.0 / 3));
}

// Counts and sums kept in float32 stood still at 2^24; 17 million numbers, 0 and 1 in turn, are
// past that (BR-34).
TEST(Var, OfSeventeenMillionNumbers) {
  const Tensor x = expand(vector({0, 1}), {8500000, 2});
  EXPECT_EQ(var(x, {0, 1}, false, /*correction=*/0).item(), 0.25);
  EXPECT_EQ(norm(expand(ones({1}), {17640000})).item(), 4200);
}

TEST(Var, NanAndInfinityGiveNan) {
  EXPECT_TRUE(std::isnan(var(vector({1, std::nan(""), 2})).item()));
  EXPECT_TRUE(std::isnan(var(vector({1, kInfinity})).item()));
  const Tensor rows = matrix({{1, 3}, {std::nan(""), 0}});
  EXPECT_EQ(var(rows, 1).at({0}), 2);  // the other row keeps its own
}

TEST(Var, NearTheEndOfTheRange) {
  EXPECT_EQ(var(full({4}, 1.5e308, DType::kFloat64)).item(), 0);  // the sum alone would overflow
  EXPECT_EQ(var(vector({-1e200, 1e200}, DType::kFloat64)).item(), kInfinity);
}

TEST(Norm, SmallCases) {
  const Tensor x = matrix({{3, 4}, {5, 12}});
  EXPECT_THAT(norm(x, 1).to_vector(), ElementsAre(5, 13));
  EXPECT_EQ(norm(vector({2, -3, 6})).item(), 7);
  EXPECT_EQ(norm(scalar(-2)).item(), 2);
  EXPECT_EQ(norm(zeros({0})).item(), 0);
  EXPECT_THAT(norm(zeros({2, 0}), 1).to_vector(), ElementsAre(0, 0));
  EXPECT_THAT(norm_backward(x, vector({10, 26}), 1).to_vector(), ElementsAre(6, 8, 10, 24));
}

// A norm of squares overflowed for large gradients, and clipping by it made them 0: 3e20 and 4e20
// in float32 have the norm 5e20 (BR-47).
TEST(Norm, NoSquareLeavesTheRange) {
  EXPECT_FLOAT_EQ(static_cast<float>(norm(vector({3e20, 4e20})).item()), 5e20F);
  EXPECT_FLOAT_EQ(static_cast<float>(norm(vector({3e-40, 4e-40})).item()), 5e-40F);
  EXPECT_THAT(norm(vector({3e200, -4e200}, DType::kFloat64)).item(), DoubleEq(5e200));
  EXPECT_THAT(norm(vector({3e-200, 4e-200}, DType::kFloat64)).item(), DoubleEq(5e-200));
  EXPECT_EQ(norm(vector({0x3p-1074, 0x4p-1074}, DType::kFloat64)).item(), 0x5p-1074);
}

TEST(Norm, ZeroInfinityAndNan) {
  EXPECT_THAT(norm_backward(zeros({2}), scalar(1), 0).to_vector(), ElementsAre(0, 0));
  EXPECT_EQ(norm(vector({1, -kInfinity})).item(), kInfinity);
  EXPECT_TRUE(std::isnan(norm(vector({kInfinity, std::nan("")})).item()));
  const Tensor dx = norm_backward(vector({1, kInfinity}), scalar(1), 0);
  EXPECT_EQ(dx.at({0}), 0);
  EXPECT_TRUE(std::isnan(dx.at({1})));
}

TEST(MomentsError, TextsAndOperands) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { var(x, 2); },
              ThrowsMessage<ShapeError>("var: expected axis in [-2, 2), got 2; x=[2, 2]"));
  EXPECT_THAT(
      [&] {
        norm(x, {1, -1});
      },
      ThrowsMessage<ShapeError>("norm: expected each axis once, got axis -1 twice; "
                                "x=[2, 2]"));
  EXPECT_THAT([&] { var(x, 0, false, -1); },
              ThrowsMessage<std::invalid_argument>("var: expected correction >= 0, got -1; "
                                                   "x=[2, 2]"));
  EXPECT_THAT([] { var(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>("var: expected float32 or float64, got int64; "
                                                   "x=[3]"));
  EXPECT_THAT([] { norm(ones({2}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>("norm: expected float32 or float64, got bool; "
                                                   "x=[2]"));
  EXPECT_THAT([] { norm(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                          "norm: expected a tensor, got an undefined one"));
  EXPECT_THROW(var(Tensor()), std::invalid_argument);
  EXPECT_THAT([&] { var_backward(x, zeros({3}), 0); },
              ThrowsMessage<ShapeError>("var_backward: expected dy of 2 elements, got 3; "
                                        "x=[2, 2] dy=[3]"));
  EXPECT_THROW(norm_backward(x, zeros({2}, DType::kFloat64), 0), std::invalid_argument);
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
