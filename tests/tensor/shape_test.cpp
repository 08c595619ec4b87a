#include "tensor/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tensor/error.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(Shape, KnowsItsSizes) {
  const Shape shape = {2, 0, 5};
  EXPECT_EQ(shape.ndim(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.str(), "[2, 0, 5]");
  EXPECT_EQ(Shape().str(), "[]");
  EXPECT_THAT(std::vector<std::int64_t>(shape.begin(), shape.end()), ElementsAre(2, 0, 5));
}

TEST(Shape, IsChangedByAxis) {
  Shape shape = {2, 3};
  shape.set(-1, 7);
  shape.push_back(1);
  EXPECT_EQ(shape, Shape({2, 7, 1}));
}

TEST(Shape, EqualityComparesSizesAndTheirNumber) {
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_NE(Shape({2, 3}), Shape({2, 3, 1}));
  EXPECT_NE(Shape({1}), Shape());
}

TEST(Shape, NumelIsTheProduct) {
  EXPECT_EQ(Shape().numel(), 1);
  EXPECT_EQ(Shape({3, 4}).numel(), 12);
  EXPECT_EQ(Shape({3, 0, 4}).numel(), 0);
  EXPECT_EQ(Shape({kLargest}).numel(), kLargest);
}

// Sizes that were multiplied in 32 bits, as std::accumulate does from an int, gave -1794967296 here
// (BR-44).
TEST(Shape, NumelIsNotComputedIn32Bits) { EXPECT_EQ(Shape({50000, 50000}).numel(), 2500000000); }

// A zero between sizes whose product does not fit.
TEST(Shape, NumelOfAnEmptyShapeLooksAtTheZeroFirst) {
  EXPECT_EQ(Shape({kLargest, kLargest, 0}).numel(), 0);
}

// A product past 64 bits wrapped: 2^32 * 2^32 to 0, and 2^61 * 8 as well (BR-44).
TEST(Shape, NumelThatDoesNotFitIsAnError) {
  EXPECT_THAT(
      [] {
        Shape({4294967296, 4294967296}).numel();
      },
      ThrowsMessage<ShapeError>("numel: expected at most 2^63 - 1 elements, got more; "
                                "shape=[4294967296, 4294967296]"));
  EXPECT_THROW(Shape({2305843009213693952, 2, 2, 2}).numel(), ShapeError);
}

TEST(Shape, MoreThanEightAxesAreAnError) {
  EXPECT_EQ(Shape({1, 1, 1, 1, 1, 1, 1, 1}).ndim(), kMaxNdim);
  EXPECT_THAT(
      [] {
        Shape({1, 2, 3, 4, 5, 6, 7, 8, 9});
      },
      ThrowsMessage<ShapeError>(
          "shape: expected at most 8 axes, got 9: [1, 2, 3, 4, 5, 6, 7, 8, 9]"));
  Shape full = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THAT([&] { full.push_back(2); },
              ThrowsMessage<ShapeError>("shape: expected at most 8 axes, got 9; "
                                        "shape=[1, 1, 1, 1, 1, 1, 1, 1]"));
  EXPECT_EQ(full.ndim(), kMaxNdim);
}

TEST(Shape, StridesOfARowMajorTensor) {
  const Strides strides = contiguous_strides({2, 3, 4});
  EXPECT_EQ(strides[0], 12);
  EXPECT_EQ(strides[1], 4);
  EXPECT_EQ(strides[2], 1);
}

TEST(Shape, StridesOfAnEmptyTensorDoNotOverflow) {
  const Strides strides = contiguous_strides({0, kLargest, kLargest});
  EXPECT_EQ(strides[1], 0);
}

TEST(Axis, CountsFromTheEndIfNegative) {
  EXPECT_EQ(normalize_axis("op", 1, {2, 3}), 1);
  EXPECT_EQ(normalize_axis("op", -1, {2, 3}), 1);
  EXPECT_EQ(normalize_axis("op", -2, {2, 3}), 0);
}

TEST(Axis, OutOfRangeNamesTheOp) {
  EXPECT_THAT(
      [] {
        normalize_axis("softmax", 2, {2, 3});
      },
      ThrowsMessage<ShapeError>("softmax: expected axis in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THAT(
      [] {
        normalize_axis("softmax", -3, {2, 3});
      },
      ThrowsMessage<ShapeError>("softmax: expected axis in [-2, 2), got -3; x=[2, 3]"));
  EXPECT_THAT([] { normalize_axis("sum", 0, {}); },
              ThrowsMessage<ShapeError>("sum: expected axis in [0, 0), got 0; x=[]"));
}

std::vector<int> list(const Axes& axes) { return {axes.begin(), axes.end()}; }

TEST(Axes, HoldUpToEight) {
  EXPECT_THAT(list(Axes({2, -1})), ElementsAre(2, -1));
  EXPECT_THAT(list(3), ElementsAre(3));
  EXPECT_THAT(list(Axes()), ElementsAre());
  EXPECT_THAT(
      [] {
        Axes({0, 1, 2, 3, 4, 5, 6, 7, 8});
      },
      ThrowsMessage<ShapeError>("axes: expected at most 8 axes, got 9"));
}

TEST(CheckNumel, RefusesNegativeSizesAndProductsThatDoNotFit) {
  EXPECT_NO_THROW(check_numel("zeros", {kLargest}));
  EXPECT_NO_THROW(check_numel("zeros", {kLargest, kLargest, 0}));
  EXPECT_THAT(
      [] {
        check_numel("zeros", {3, -1});
      },
      ThrowsMessage<ShapeError>("zeros: expected sizes >= 0, got -1 at axis 1; "
                                "shape=[3, -1]"));
  EXPECT_THROW(check_numel("zeros", {0, -1}), ShapeError);
  EXPECT_THAT(
      [] {
        check_numel("zeros", {4294967296, 4294967296});
      },
      ThrowsMessage<ShapeError>("zeros: expected at most 2^63 - 1 elements, got more; "
                                "shape=[4294967296, 4294967296]"));
}

TEST(Broadcast, AlignsAtTheLastAxisAndStretchesSizeOne) {
  EXPECT_EQ(broadcast_shapes("add", {2, 1, 3}, {4, 1}), Shape({2, 4, 3}));
  EXPECT_EQ(broadcast_shapes("add", {}, {4, 1}), Shape({4, 1}));
  EXPECT_EQ(broadcast_shapes("add", {4, 1}, {}), Shape({4, 1}));
  EXPECT_EQ(broadcast_shapes("add", {5}, {5}), Shape({5}));
}

TEST(Broadcast, SizeOneShrinksToZero) {
  EXPECT_EQ(broadcast_shapes("add", {1}, {0}), Shape({0}));
  EXPECT_EQ(broadcast_shapes("add", {2, 0}, {1, 1}), Shape({2, 0}));
}

TEST(Broadcast, MismatchNamesAxisAndOperands) {
  EXPECT_THAT(
      [] {
        broadcast_shapes("add", {2, 3}, {3, 3});
      },
      ThrowsMessage<ShapeError>("add: expected sizes that are equal or 1, aligned at the "
                                "last axis, got 2 and 3 at axis -2; a=[2, 3] b=[3, 3]"));
  EXPECT_THROW(broadcast_shapes("add", {2}, {0}), ShapeError);
}

}  // namespace
}  // namespace gradwalk
