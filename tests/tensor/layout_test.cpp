#include "tensor/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

bool shares(const Tensor& a, const Tensor& b) { return a.storage().get() == b.storage().get(); }

Tensor counting(const Shape& shape) { return reshape(arange(0, shape.numel()), shape); }

TEST(Layout, TransposeSwapsTheLastTwoAxes) {
  const Tensor x = counting({2, 2, 3});
  const Tensor y = transpose(x);
  EXPECT_EQ(y.shape(), Shape({2, 3, 2}));
  EXPECT_EQ(y.at({1, 2, 0}), x.at({1, 0, 2}));
  EXPECT_TRUE(shares(x, y));
  EXPECT_THAT([] { transpose(zeros({3})); },
              ThrowsMessage<ShapeError>("transpose: expected ndim >= 2, got 1; x=[3]"));
}

TEST(Layout, PermuteTakesAxisFromX) {
  const Tensor x = counting({2, 3, 4});
  const Tensor y = permute(x, {2, 0, -2});
  EXPECT_EQ(y.shape(), Shape({4, 2, 3}));
  EXPECT_EQ(y.at({3, 1, 2}), x.at({1, 2, 3}));
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(permute(scalar(1), {}).shape(), Shape());
}

TEST(Layout, PermuteWantsEveryAxisOnce) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT(
      [&] {
        permute(x, {0, 0});
      },
      ThrowsMessage<ShapeError>("permute: expected each of 2 axes once, got [0, 0]; "
                                "x=[2, 3]"));
  EXPECT_THAT(
      [&] { permute(x, {1}); },
      ThrowsMessage<ShapeError>("permute: expected each of 2 axes once, got [1]; x=[2, 3]"));
  EXPECT_THAT(
      [&] {
        permute(x, {0, 2});
      },
      ThrowsMessage<ShapeError>("permute: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THROW(permute(x, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), ShapeError);
}

TEST(Layout, ReshapeKeepsRowMajorOrder) {
  const Tensor x = counting({2, 6});
  EXPECT_EQ(reshape(x, {3, 4}).at({2, 1}), 9);
  EXPECT_EQ(reshape(x, {-1, 4}).shape(), Shape({3, 4}));
  EXPECT_EQ(reshape(x, {12}).shape(), Shape({12}));
  EXPECT_EQ(reshape(scalar(5), {1, 1}).at({0, 0}), 5);
  EXPECT_EQ(reshape(zeros({1, 1}), {}).shape(), Shape());
}

TEST(Layout, ReshapeIsAViewWhereStridesAllowIt) {
  const Tensor x = counting({4, 6});
  EXPECT_TRUE(shares(x, reshape(x, {2, 2, 3, 2})));
  EXPECT_TRUE(shares(x, reshape(slice(x, 1, 0, 4), {2, 2, 4})));  // cuts an axis
  EXPECT_TRUE(shares(x, reshape(transpose(x), {2, 3, 4})));
  EXPECT_FALSE(shares(x, reshape(transpose(x), {24})));
  EXPECT_FALSE(shares(x, reshape(slice(x, 1, 0, 4), {16})));
}

TEST(Layout, ReshapeHoldsForRandomLayouts) {
  for_each_case("reshape", 300, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    // Factors of the number of elements, shuffled by repeated division.
    Shape shape;
    std::int64_t left = x.numel();
    while (left > 1 && shape.ndim() < 6) {
      const std::int64_t factor = 1 + c.below(std::min<std::int64_t>(left, 12));
      if (left % factor != 0) continue;
      shape.push_back(factor);
      left /= factor;
    }
    shape.push_back(left);
    const Tensor y = reshape(x, shape);
    EXPECT_EQ(test::difference(y, from_vector(x.to_vector(), shape, x.dtype()), 0), "")
        << shape.str();
  });
}

TEST(Layout, ReshapeOfEmptyTensors) {
  EXPECT_EQ(reshape(zeros({0, 3}), {3, 0, 2}).shape(), Shape({3, 0, 2}));
  EXPECT_EQ(reshape(zeros({0, 3}), {-1, 3}).shape(), Shape({0, 3}));
  EXPECT_THROW(reshape(zeros({0, 3}), {-1, 0}), ShapeError);
  EXPECT_THROW(reshape(zeros({0, 3}), {}), ShapeError);
}

TEST(Layout, ExpandRepeatsWithoutACopy) {
  const Tensor x = matrix({{1}, {2}});
  const Tensor y = expand(x, {3, 2, 2});
  EXPECT_THAT(y.to_vector(), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2));
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(expand(zeros({1, 3}), {0, 3}).numel(), 0);
  EXPECT_THAT(
      [&] {
        expand(x, {3, 1});
      },
      ThrowsMessage<ShapeError>("expand: expected sizes that are equal to those of x, or 1 "
                                "in x, got [3, 1]; x=[2, 1]"));
  EXPECT_THROW(expand(x, {2}), ShapeError);
  EXPECT_THROW(expand(x, {2, -1}), ShapeError);
  EXPECT_THAT(
      [] {
        expand(scalar(0), {4294967296, 4294967296});
      },
      ThrowsMessage<ShapeError>("expand: expected at most 2^63 - 1 elements, got more; "
                                "shape=[4294967296, 4294967296]"));
}

TEST(Layout, SliceCutsAsPythonDoes) {
  const Tensor x = vector({0, 1, 2, 3, 4});
  EXPECT_THAT(slice(x, 0, 1, 4).to_vector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(slice(x, -1, -2, 99).to_vector(), ElementsAre(3, 4));
  EXPECT_THAT(slice(x, 0, 0, 5, 2).to_vector(), ElementsAre(0, 2, 4));
  EXPECT_THAT(slice(x, 0, 1, 4, 2).to_vector(), ElementsAre(1, 3));
  EXPECT_THAT(slice(x, 0, -99, -4).to_vector(), ElementsAre(0));
  EXPECT_EQ(slice(x, 0, 3, 3).shape(), Shape({0}));
  EXPECT_EQ(slice(x, 0, 4, 2).shape(), Shape({0}));
  EXPECT_EQ(slice(x, 0, 99, 100).shape(), Shape({0}));
  EXPECT_TRUE(shares(x, slice(x, 0, 1, 4)));
}

// The stride times the step does not fit; with one element left it is not needed.
TEST(Layout, SliceWithAHugeStep) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  const Tensor x = counting({3, 5});
  EXPECT_THAT(slice(x, 0, 1, 3, kLargest).to_vector(), ElementsAre(5, 6, 7, 8, 9));
  EXPECT_THAT(
      slice(counting({5}), 0, std::numeric_limits<std::int64_t>::min(), kLargest, 4).to_vector(),
      ElementsAre(0, 4));
}

TEST(Layout, SliceErrors) {
  EXPECT_THAT([] { slice(zeros({3}), 0, 0, 2, 0); },
              ThrowsMessage<ShapeError>("slice: expected step >= 1, got 0; x=[3]"));
  EXPECT_THAT([] { slice(zeros({3}), 1, 0, 2); },
              ThrowsMessage<ShapeError>("slice: expected axis in [-1, 1), got 1; x=[3]"));
}

TEST(Layout, SelectDropsTheAxis) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(select(x, 0, 1).to_vector(), ElementsAre(4, 5, 6));
  EXPECT_THAT(select(x, 1, -1).to_vector(), ElementsAre(3, 6));
  EXPECT_EQ(select(select(x, 0, 0), 0, 2).shape(), Shape());
  EXPECT_THAT([&] { select(x, 1, 3); },
              ThrowsMessage<std::out_of_range>("select: expected index in [-3, 3), got 3; "
                                               "x=[2, 3]"));
  EXPECT_THROW(select(x, 1, -4), std::out_of_range);
  EXPECT_THROW(select(x, 2, 0), ShapeError);
}

TEST(Layout, SqueezeAndUnsqueezeAreOpposites) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(unsqueeze(x, 0).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(unsqueeze(x, 2).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(unsqueeze(x, -1).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(unsqueeze(x, -3).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(squeeze(unsqueeze(x, 1), 1).shape(), x.shape());
  EXPECT_EQ(squeeze(zeros({2, 1}), -1).shape(), Shape({2}));
  EXPECT_THAT([&] { squeeze(x, 1); },
              ThrowsMessage<ShapeError>("squeeze: expected size 1 at axis 1, got 3; x=[2, 3]"));
  EXPECT_THAT([&] { unsqueeze(x, 3); },
              ThrowsMessage<ShapeError>("unsqueeze: expected axis in [-3, 2], got 3; x=[2, 3]"));
  EXPECT_THAT(
      [] {
        unsqueeze(zeros({1, 1, 1, 1, 1, 1, 1, 1}), 0);
      },
      ThrowsMessage<ShapeError>("unsqueeze: expected at most 7 axes, got 8; "
                                "x=[1, 1, 1, 1, 1, 1, 1, 1]"));
}

// The values of a slice, through the index arithmetic of `at`.
TEST(Layout, SliceHoldsForRandomLayouts) {
  for_each_case("slice", 200, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(1));
    const int axis = c.axis(x.shape());
    const std::int64_t begin = c.below(x.shape()[axis] + 1);
    const std::int64_t end = c.below(x.shape()[axis] + 1);
    const std::int64_t step = 1 + c.below(3);
    const Tensor y = slice(x, axis, begin, end, step);
    const std::int64_t count = end > begin ? (end - begin + step - 1) / step : 0;
    ASSERT_EQ(y.shape()[axis], count);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(test::difference(select(y, axis, i), select(x, axis, begin + i * step), 0), "");
    }
  });
}

TEST(Layout, UndefinedTensorIsAnError) {
  const Tensor none;
  EXPECT_THAT([&] { transpose(none); }, ThrowsMessage<std::invalid_argument>(
                                            "transpose: expected a tensor, got an undefined one"));
  EXPECT_THROW(permute(none, {}), std::invalid_argument);
  EXPECT_THROW(reshape(none, {1}), std::invalid_argument);
  EXPECT_THROW(expand(none, {1}), std::invalid_argument);
  EXPECT_THROW(slice(none, 0, 0, 1), std::invalid_argument);
  EXPECT_THROW(select(none, 0, 0), std::invalid_argument);
  EXPECT_THROW(squeeze(none, 0), std::invalid_argument);
  EXPECT_THROW(unsqueeze(none, 0), std::invalid_argument);
}

// A reshape that looked at the last stride alone gave the rows in the order of memory and not of
// the view (BR-10).
TEST(Layout, ReshapeOfAViewReadsTheViewsRows) {
  const Tensor view = permute(counting({2, 3, 4}), {1, 0, 2});
  EXPECT_THAT(slice(reshape(view, {6, 4}), 0, 0, 2).to_vector(),
              ElementsAre(0, 1, 2, 3, 12, 13, 14, 15));
}

}  // namespace
}  // namespace gradwalk
