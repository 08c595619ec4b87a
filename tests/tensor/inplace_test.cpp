#include "tensor/inplace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/elementwise.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();

// A writable view of this shape: permuted and sliced out of something larger.
Tensor writable(RandomCase& c, const Shape& shape) {
  Shape wide = shape;
  for (int axis = 0; axis < shape.ndim(); ++axis) wide.set(axis, shape[axis] * 2 + 1);
  Tensor x = c.below(2) == 0 ? clone(c.tensor(wide)) : transpose(clone(transpose(c.tensor(wide))));
  for (int axis = 0; axis < shape.ndim(); ++axis) x = slice(x, axis, 1, wide[axis], 2);
  return x;
}

TEST(InPlace, CopyAddAndMultiplyEqualTheReference) {
  for_each_case("inplace", 200, [](RandomCase& c) {
    const Shape shape = c.shape(2, 3);
    const Tensor x = writable(c, shape);
    const Tensor from = c.tensor(c.narrowed(shape));
    const Tensor product = reference::mul(x, from);
    mul_into(x, from);
    EXPECT_EQ(test::difference(x, product, 0), "");
    const Tensor total = reference::add(x, from);
    add_into(x, from);
    EXPECT_EQ(test::difference(x, total, 0), "");
    const Tensor wide = expand(from, shape);
    copy_into(x, from);
    EXPECT_EQ(test::difference(x, wide, 0), "");
  });
}

TEST(InPlace, NeighboursOfAViewAreLeftAlone) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  fill(slice(x, 1, 0, 3, 2), 0);
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 2, 0, 0, 5, 0));
}

TEST(InPlace, NumbersAndFactors) {
  const Tensor x = vector({1, -2}, DType::kFloat64);
  add_into(x, vector({10, 20}, DType::kFloat64), -0.5);
  EXPECT_THAT(x.to_vector(), ElementsAre(-4, -12));
  add_into(x, 1);
  EXPECT_THAT(x.to_vector(), ElementsAre(-3, -11));
  mul_into(x, -2);
  EXPECT_THAT(x.to_vector(), ElementsAre(6, 22));
  fill(x, 0.5);
  EXPECT_THAT(x.to_vector(), ElementsAre(0.5, 0.5));
}

TEST(InPlace, BoolsCanBeFilledAndCopied) {
  const Tensor mask = zeros({3}, DType::kBool);
  fill(slice(mask, 0, 1, 2), 1);
  EXPECT_THAT(mask.to_vector(), ElementsAre(0, 1, 0));
  copy_into(mask, to(vector({1, 0, 1}), DType::kBool));
  EXPECT_THAT(mask.to_vector(), ElementsAre(1, 0, 1));
}

TEST(InPlace, OverlappingSourceIsReadBeforeItIsWritten) {
  const Tensor x = vector({1, 2, 3, 4});
  copy_into(slice(x, 0, 1, 4), slice(x, 0, 0, 3));
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 1, 2, 3));
  add_into(x, select(x, 0, 3));  // one element of x itself
  EXPECT_THAT(x.to_vector(), ElementsAre(4, 4, 5, 6));
  const Tensor square = matrix({{1, 2}, {3, 4}});
  add_into(square, transpose(square));
  EXPECT_THAT(square.to_vector(), ElementsAre(2, 5, 5, 8));
  mul_into(square, square);
  EXPECT_THAT(square.to_vector(), ElementsAre(4, 25, 25, 64));
}

// An empty tensor has strides of 0, and was taken for an expanded view.
TEST(InPlace, EmptyTensorsCanBeWritten) {
  EXPECT_NO_THROW(fill(zeros({0, 3}), 1));
  EXPECT_NO_THROW(copy_into(zeros({0, 3}), zeros({0, 3})));
  EXPECT_NO_THROW(add_into(slice(zeros({2, 3}), 0, 2, 2), 1));
}

// Signed overflow: undefined in C++, it wraps here as in the ops that are not in place.
TEST(InPlace, Int64WrapsAround) {
  const Tensor x = full({2}, 0x1p62, DType::kInt64);
  add_into(x, x);
  EXPECT_EQ(x.at({0}), -0x1p63);
  const Tensor y = full({2}, 0x1p62, DType::kInt64);
  mul_into(y, 4);
  EXPECT_EQ(y.at({0}), 0);
  const Tensor z = full({2}, 0x1p62, DType::kInt64);
  add_into(z, z, 3);
  EXPECT_EQ(z.at({0}), 0);
}

// 0.5 became 0 beside an int64 tensor without a word.
TEST(InPlaceError, FractionsBesideInt64) {
  const Tensor x = arange(1, 4);
  EXPECT_THAT([&] { mul_into(x, 0.5); },
              ThrowsMessage<std::invalid_argument>("mul_into: expected a whole number beside an "
                                                   "int64 tensor, got 0.5; x=[3]"));
  EXPECT_THAT([&] { add_into(x, 0.5); },
              ThrowsMessage<std::invalid_argument>("add_into: expected a whole number beside an "
                                                   "int64 tensor, got 0.5; x=[3]"));
  EXPECT_THAT([&] { add_into(x, x, 0.5); },
              ThrowsMessage<std::invalid_argument>("add_into: expected a whole number beside an "
                                                   "int64 tensor, got 0.5; x=[3]"));
  EXPECT_THAT([&] { fill(x, std::nan("")); },
              ThrowsMessage<std::invalid_argument>("fill: expected a whole number beside an "
                                                   "int64 tensor, got nan; x=[3]"));
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3));
}

// A write into an expanded view visited one place three times: 2, doubled once, became 16. It is an
// error (BR-43).
TEST(InPlaceError, ExpandedView) {
  const Tensor x = vector({2});
  const Tensor view = expand(x, {1, 3});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { mul_into(view, 2); },
              ThrowsMessage<ShapeError>(
                  "mul_into: expected a tensor whose elements have a place each, got an expanded "
                  "view, stride 0 at axis 1; clone it first; x=[1, 3]"));
  EXPECT_THROW(add_into(view, 2), ShapeError);
  EXPECT_THROW(fill(view, 2), ShapeError);
  EXPECT_THROW(copy_into(view, ones({3})), ShapeError);
  EXPECT_EQ(x.item(), 2);
  EXPECT_EQ(x.version(), version);
  EXPECT_NO_THROW(mul_into(expand(x, {1, 1, 1}), 2));  // stretched by nothing
  EXPECT_EQ(x.item(), 4);
}

TEST(InPlaceError, SourceThatDoesNotBroadcastToX) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT(
      [&] { copy_into(x, ones({2})); },
      ThrowsMessage<ShapeError>("copy_into: expected from to broadcast to x.shape, got [2]; "
                                "x=[2, 3] from=[2]"));
  EXPECT_THAT(
      [&] {
        add_into(x, ones({4, 2, 3}));
      },
      ThrowsMessage<ShapeError>("add_into: expected from to broadcast to x.shape, got "
                                "[4, 2, 3]; x=[2, 3] from=[4, 2, 3]"));
  EXPECT_THROW(mul_into(zeros({1}), ones({3})), ShapeError);
  EXPECT_THAT(x.to_vector(), testing::Each(0));
}

TEST(InPlaceError, DTypes) {
  const Tensor x = zeros({2});
  EXPECT_THAT([&] { copy_into(x, ones({2}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>("copy_into: expected one dtype for x and from, "
                                                   "got float32 and float64; x=[2] from=[2]"));
  EXPECT_THAT([] { add_into(zeros({2}, DType::kBool), ones({2}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>("add_into: expected float32, float64 or int64, "
                                                   "got bool; x=[2]"));
  EXPECT_THROW(mul_into(zeros({2}, DType::kBool), 1), std::invalid_argument);
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 0));
}

TEST(InPlaceError, UndefinedTensors) {
  const Tensor none;
  EXPECT_THAT([&] { fill(none, 1); }, ThrowsMessage<std::invalid_argument>(
                                          "fill: expected a tensor, got an undefined one"));
  EXPECT_THROW(add_into(none, 1), std::invalid_argument);
  EXPECT_THROW(mul_into(zeros({1}), none), std::invalid_argument);
  EXPECT_THROW(copy_into(none, none), std::invalid_argument);
}

TEST(InPlace, NumbersPastInt64AreErrorsBesideInt64) {
  EXPECT_THROW(add_into(arange(0, 2), 1e30), std::invalid_argument);
  EXPECT_NO_THROW(fill(arange(0, 2), -0x1p63));
  EXPECT_THROW(fill(arange(0, 2), static_cast<double>(kLargest)), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
