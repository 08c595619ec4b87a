#include "tensor/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/reduce.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

struct Chosen {
  Axes named;              // some of them counted from the end
  std::vector<int> plain;  // the same in [0, ndim)
  double terms = 1;        // elements that fall on one place
};

Chosen some_axes(RandomCase& c, const Shape& shape) {
  Chosen chosen;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    if (c.below(2) == 0) continue;
    chosen.named.push_back(c.below(2) == 0 ? axis : axis - shape.ndim());
    chosen.plain.push_back(axis);
    chosen.terms *= static_cast<double>(shape[axis]);
  }
  return chosen;
}

// Sums run in float64 and are rounded once: n roundings of float64, one of the dtype.
Tensor bound_of_sum(const Tensor& x, const Tensor& want, const Chosen& chosen, bool keepdims) {
  const Tensor sizes = reference::sum(test::finite_sizes(x), chosen.plain, keepdims);
  return test::sum_bound(sizes, DType::kFloat64, chosen.terms) +
         test::sum_bound(test::finite_sizes(want), want.dtype(), 1);
}

TEST(Sum, EqualsTheReference) {
  for_each_case("sum", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const bool keepdims = c.below(2) == 0;
    const Tensor want = reference::sum(x, chosen.plain, keepdims);
    const Tensor y = sum(x, chosen.named, keepdims);
    EXPECT_EQ(test::difference(y, want, bound_of_sum(x, want, chosen, keepdims)), "");
    EXPECT_EQ(y.dtype(), x.dtype());
  });
}

TEST(Mean, EqualsTheReference) {
  for_each_case("mean", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const bool keepdims = c.below(2) == 0;
    const Tensor want = reference::mean(x, chosen.plain, keepdims);
    EXPECT_EQ(test::difference(mean(x, chosen.named, keepdims), want,
                               bound_of_sum(x, want, chosen, keepdims)),
              "");
  });
}

TEST(Max, EqualsTheReference) {
  for_each_case("max", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Chosen chosen = some_axes(c, x.shape());
    const bool keepdims = c.below(2) == 0;
    const Tensor want = reference::max(x, chosen.plain, keepdims);
    if (chosen.terms == 0 && want.numel() > 0) {
      EXPECT_THROW(max(x, chosen.named, keepdims), ShapeError);
      return;
    }
    EXPECT_EQ(test::difference(max(x, chosen.named, keepdims), want, 0), "");
  });
}

TEST(Reduce, Int64) {
  for_each_case("int64", 100, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(), DType::kInt64, Values::kIntegers);
    const Chosen chosen = some_axes(c, x.shape());
    EXPECT_EQ(test::difference(sum(x, chosen.named), reference::sum(x, chosen.plain, false), 0),
              "");
    if (chosen.terms == 0) return;
    EXPECT_EQ(test::difference(max(x, chosen.named), reference::max(x, chosen.plain, false), 0),
              "");
  });
  EXPECT_EQ(sum(full({2}, 0x1p62, DType::kInt64)).item(), -0x1p63);  // wraps
  EXPECT_EQ(max(full({2}, -0x1p63, DType::kInt64)).item(), -0x1p63);
}

TEST(Reduce, SumToIsTheTransposeOfExpand) {
  for_each_case("sum_to", 200, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(), DType::kFloat64, Values::kIntegers);  // exact
    const Shape shape = c.narrowed(x.shape());
    const Tensor y = sum_to(x, shape);
    ASSERT_EQ(y.shape(), shape);
    const Tensor v = c.tensor(shape, DType::kFloat64, Values::kIntegers);
    // <sum_to(x), v> = <x, expand(v)>
    EXPECT_EQ(sum(y * v).item(), sum(x * expand(v, x.shape())).item());
  });
}

// The values of reductions over the first and the last axis, whose gradients were once put back on
// the wrong one (BR-07).
TEST(Reduce, OverAxesZeroAndTwo) {
  const Tensor x = reshape(to(arange(1, 13), DType::kFloat64), {2, 3, 2});
  EXPECT_THAT(mean(x, {0, 2}).to_vector(), ElementsAre(4.5, 6.5, 8.5));
  EXPECT_THAT(sum(x, {-1, 0}).to_vector(), ElementsAre(18, 26, 34));
  EXPECT_THAT(max(x, {0, 2}).to_vector(), ElementsAre(8, 10, 12));
  EXPECT_EQ(sum(x, {0, 2}, /*keepdims=*/true).shape(), Shape({1, 3, 1}));
  EXPECT_EQ(sum(x).shape(), Shape());
  EXPECT_EQ(sum(x).item(), 78);
  EXPECT_EQ(mean(x).item(), 6.5);
  EXPECT_EQ(max(x).item(), 12);
}

TEST(Reduce, OverNoAxesIsTheTensor) {
  const Tensor x = vector({1, 2});
  EXPECT_THAT(sum(x, Axes()).to_vector(), ElementsAre(1, 2));
  EXPECT_EQ(sum(scalar(3)).item(), 3);
}

// A maximum of an empty tensor was an error even where the empty axis is not the one reduced. Only
// that axis matters (BR-33).
TEST(Reduce, EmptyTensorsAndEmptyAxes) {
  EXPECT_EQ(sum(zeros({0})).item(), 0);
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item()));
  EXPECT_THAT([] { max(zeros({0})); },
              ThrowsMessage<ShapeError>("max: expected at least one element to choose from, got "
                                        "none; x=[0]"));
  const Tensor x = zeros({2, 0});
  EXPECT_THAT(sum(x, 1).to_vector(), ElementsAre(0, 0));
  EXPECT_THROW(max(x, 1), ShapeError);
  EXPECT_EQ(max(x, 0).shape(), Shape({0}));
}

// Ones that were added up in float32 stood still at 2^24 = 16777216, and the strided sum lost them
// where the flat one did not. A sum in float64 is exact both ways (BR-34).
TEST(Reduce, SeventeenMillionOnes) {
  const Tensor x = expand(ones({1}), {17000000});
  EXPECT_EQ(sum(x).item(), 17000000);
  EXPECT_EQ(mean(x).item(), 1);
  EXPECT_EQ(sum(expand(ones({1, 1}), {17000000, 1}), 0).item(), 17000000);
}

// A maximum made of std::max hid a NaN or showed it, depending on where it stood: a < b is false
// for NaN (BR-36).
TEST(Max, NanStaysVisibleWhereverItStands) {
  const double nan = std::nan("");
  for (const auto& row : {vector({1, nan, 3}), vector({nan, 1, 3}), vector({1, 3, nan})}) {
    EXPECT_TRUE(std::isnan(max(row).item()));
  }
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(max(vector({-inf, -inf})).item(), -inf);
}

// A kernel that took a permuted view for row-major memory summed the wrong elements. Here no stride
// of the last axis is 1 (BR-10).
TEST(Reduce, ReversedAxes) {
  const Tensor base =
      from_vector({2,    1.75, -2, 0.25, 1.75, -1.75, 0.25, 1,    1,     -1.25, -1.5,  -1,
                   0.75, 1,    -2, 2,    -2,   0.75,  -1.5, 0.75, -1.75, 1.25,  -1.75, 1.75},
                  {2, 3, 4}, DType::kFloat64);
  EXPECT_THAT(sum(permute(base, {2, 1, 0}), 0).to_vector(),
              ElementsAre(2, 1.75, 1.25, -2, -2.75, -0.5));
}

TEST(ReduceError, Axes) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { sum(x, 2); },
              ThrowsMessage<ShapeError>("sum: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THAT(
      [&] {
        mean(x, {1, -1});
      },
      ThrowsMessage<ShapeError>("mean: expected each axis once, got axis -1 twice; x=[2, 3]"));
  EXPECT_THAT([&] { max(x, -3); },
              ThrowsMessage<ShapeError>("max: expected axis in [-2, 2), got -3; x=[2, 3]"));
}

TEST(ReduceError, DTypesAndUndefined) {
  EXPECT_THAT([] { sum(ones({2}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>("sum: expected float32, float64 or int64, got "
                                                   "bool; x=[2]"));
  EXPECT_THAT([] { mean(arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>("mean: expected float32 or float64, got int64; "
                                                   "x=[2]"));
  EXPECT_THROW(max(ones({2}, DType::kBool)), std::invalid_argument);
  EXPECT_THAT([] { mean(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                          "mean: expected a tensor, got an undefined one"));
  EXPECT_THROW(sum(Tensor()), std::invalid_argument);
  EXPECT_THROW(max(Tensor(), 0), std::invalid_argument);
}

TEST(ReduceError, SumTo) {
  EXPECT_THAT(
      [] {
        sum_to(zeros({2, 3}), {2});
      },
      ThrowsMessage<ShapeError>("sum_to: expected a shape that broadcasts to x.shape, got "
                                "[2]; x=[2, 3]"));
  EXPECT_THROW(sum_to(zeros({3}), {1, 3}), ShapeError);
  EXPECT_THROW(sum_to(zeros({1}), {3}), ShapeError);
  EXPECT_THROW(sum_to(Tensor(), {}), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
