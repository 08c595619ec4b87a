#include "tensor/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/gather.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

Tensor int64s(std::initializer_list<double> values) { return vector(values, DType::kInt64); }

// Random ids in [0, size), as a permuted or expanded view now and then; none where there are none.
Tensor random_ids(RandomCase& c, const Shape& shape, std::int64_t size) {
  const Tensor draws = c.tensor(shape, DType::kInt64, Values::kIntegers);
  std::vector<double> ids;
  for (std::int64_t i = 0; i < draws.numel(); ++i)
    ids.push_back(static_cast<double>(c.below(size)));
  Tensor x = from_vector(ids, shape, DType::kInt64);
  if (shape.ndim() >= 2 && c.below(3) == 0) {
    x = transpose(contiguous(transpose(x)));
  } else if (shape.ndim() >= 1 && shape.numel() > 0 && c.below(3) == 0) {
    x = expand(slice(x, 0, 0, 1), shape);
  }
  return x;
}

// A tensor of the case's dtype; now and then of the two others.
Tensor any_tensor(RandomCase& c, const Shape& shape) {
  const std::int64_t kind = c.below(8);
  if (kind == 0) return c.tensor(shape, DType::kInt64, Values::kIntegers);
  if (kind == 1) return c.tensor(shape, DType::kBool, Values::kIntegers);
  return c.tensor(shape);
}

// What is added up in float64 in the same order as in the reference is equal to the bit.
TEST(TakeAlongAxis, EqualsTheReference) {
  for_each_case("take_along_axis", 280, [](RandomCase& c) {
    const Tensor x = any_tensor(c, c.shape(1));
    const int axis = c.axis(x.shape());
    const int plain = axis < 0 ? axis + x.ndim() : axis;
    Shape shape = x.shape();
    shape.set(axis, x.shape()[axis] == 0 ? 0 : c.below(9));
    const Tensor ids = random_ids(c, shape, x.shape()[axis]);
    const Tensor y = take_along_axis(x, ids, axis);
    EXPECT_EQ(difference(y, reference::take_along_axis(x, ids, plain), 0), "");
    EXPECT_EQ(y.dtype(), x.dtype());
    const Tensor dy = c.tensor(shape);
    EXPECT_EQ(difference(take_along_axis_backward(x.shape(), ids, axis, dy),
                         reference::take_along_axis_backward(x.shape(), ids, plain, dy), 0),
              "");
  });
}

TEST(IndexSelect, EqualsTheReference) {
  for_each_case("index_select", 280, [](RandomCase& c) {
    const Tensor x = any_tensor(c, c.shape(1, 3));
    const int axis = c.axis(x.shape());
    const int plain = axis < 0 ? axis + x.ndim() : axis;
    Shape shape = c.shape(0, 2);
    if (x.shape()[axis] == 0) shape = {0};
    while (shape.numel() > 40) shape.set(0, shape[0] / 2);
    const Tensor ids = random_ids(c, shape, x.shape()[axis]);
    const Tensor y = index_select(x, axis, ids);
    EXPECT_EQ(difference(y, reference::index_select(x, plain, ids), 0), "");
    EXPECT_EQ(y.dtype(), x.dtype());
    EXPECT_TRUE(y.is_contiguous());
    const Tensor dy = c.tensor(y.shape());
    EXPECT_EQ(difference(index_select_backward(x.shape(), axis, ids, dy),
                         reference::index_select_backward(x.shape(), plain, ids, dy), 0),
              "");
  });
}

TEST(OneHot, EqualsTheReference) {
  for_each_case("one_hot", 200, [](RandomCase& c) {
    const std::int64_t classes = 1 + c.below(9);
    const Tensor ids = random_ids(c, c.shape(0, 3), classes);
    for (const DType dtype : {c.dtype(), DType::kInt64, DType::kBool}) {
      const Tensor y = one_hot(ids, classes, dtype);
      EXPECT_EQ(difference(y, reference::one_hot(ids, classes, dtype), 0), "");
      EXPECT_EQ(y.dtype(), dtype);
    }
  });
}

TEST(Gather, SmallCases) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  const Tensor last = reshape(int64s({2, 0, 0, 1}), {2, 2});
  EXPECT_THAT(take_along_axis(x, last, -1).to_vector(), ElementsAre(3, 1, 4, 5));
  EXPECT_THAT(take_along_axis(x, reshape(int64s({1, 0, 1}), {1, 3}), 0).to_vector(),
              ElementsAre(4, 2, 6));
  EXPECT_THAT(index_select(x, 0, int64s({1, 1})).to_vector(), ElementsAre(4, 5, 6, 4, 5, 6));
  EXPECT_THAT(index_select(x, -1, int64s({2, 0})).to_vector(), ElementsAre(3, 1, 6, 4));
  EXPECT_EQ(index_select(x, 1, scalar(2, DType::kInt64)).shape(), Shape({2}));
  EXPECT_EQ(index_select(x, 1, reshape(last, {1, 2, 2})).shape(), Shape({2, 1, 2, 2}));
  EXPECT_THAT(one_hot(int64s({2, 0}), 3).to_vector(), ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_EQ(one_hot(scalar(1, DType::kInt64), 2).shape(), Shape({2}));
}

// A backward that writes rows where it should add them kept only the last of several uses of an id
// (BR-16).
TEST(IndexSelectBackward, RepeatedIdsAddUpBr16) {
  const nlohmann::json report = test::bug_report("BR-16");
  GRADWALK_SKIP_WITHOUT(report);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor weight = test::tensor_from(report["inputs"]["weight"], dtype);
    const Tensor ids = test::tensor_from(report["inputs"]["ids"], DType::kInt64);
    const Tensor dy = test::tensor_from(report["inputs"]["upstream"], dtype);
    EXPECT_EQ(difference(index_select(weight, 0, ids),
                         test::tensor_from(report["expected"]["out"], dtype), 0),
              "");
    EXPECT_EQ(difference(index_select_backward(weight.shape(), 0, ids, dy),
                         test::tensor_from(report["expected"]["grad_weight"], dtype), 0),
              "");
  }
}

// Gradients of one id that are added up in float32 stand still at 2^24, as a sum of ones does
// (BR-34).
TEST(GatherBackward, SeventeenMillionRepeatsOfOneId) {
  constexpr std::int64_t kCount = 17000000;
  const Tensor ids = expand(zeros({1}, DType::kInt64), {kCount});
  const Tensor dy = expand(ones({1}), {kCount});
  EXPECT_THAT(index_select_backward({2}, 0, ids, dy).to_vector(), ElementsAre(kCount, 0));
  EXPECT_THAT(take_along_axis_backward({2}, ids, 0, dy).to_vector(), ElementsAre(kCount, 0));
}

TEST(IndexSelectBackward, RowsLongerThanOnePiece) {
  const Tensor dy = expand(unsqueeze(to(arange(0, 1000), DType::kFloat32), 0), {3, 1000});
  const Tensor dx = index_select_backward({2, 1000}, 0, int64s({1, 1, 1}), dy);
  EXPECT_EQ(dx.at({0, 999}), 0);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(dx.at({1, i}), 3 * static_cast<double>(i));
}

// Ids outside the table read foreign memory, gave zeros without a word, or -1 the last row. Each is
// an error (BR-17).
TEST(IndexSelect, IdsOutsideTheTableBr17) {
  const nlohmann::json report = test::bug_report("BR-17");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor weight = zeros({4, 2});
  const std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  Tensor past = arange(0, 2);
  past.mutable_data<std::int64_t>()[1] = kLast;
  EXPECT_THAT(
      [&] {
        index_select(weight, 0, int64s({0, 4}));
      },
      ThrowsMessage<std::out_of_range>("index_select: expected ids in [0, 4), got 4 at "
                                       "[1]; x=[4, 2] ids=[2]"));
  EXPECT_THROW(index_select(weight, 0, int64s({-1})), std::out_of_range);
  EXPECT_THROW(index_select(weight, 0, past), std::out_of_range);
  EXPECT_EQ(index_select(weight, 0, zeros({0}, DType::kInt64)).shape(), Shape({0, 2}));
  const Tensor square = reshape(int64s({0, 3, 1, 2}), {2, 2});
  EXPECT_EQ(index_select(weight, 0, square).shape(), Shape({2, 2, 2}));
}

TEST(Gather, Empty) {
  const Tensor none = zeros({0}, DType::kInt64);
  EXPECT_EQ(index_select(zeros({0, 3}), 0, none).shape(), Shape({0, 3}));
  EXPECT_EQ(index_select_backward({2, 3}, 0, none, zeros({0, 3})).to_vector(),
            std::vector<double>(6, 0));
  EXPECT_EQ(take_along_axis(zeros({2, 3}), zeros({2, 0}, DType::kInt64), 1).shape(), Shape({2, 0}));
  EXPECT_EQ(one_hot(none, 0).shape(), Shape({0, 0}));
  EXPECT_THROW(index_select(zeros({0}), 0, int64s({0})), std::out_of_range);
}

TEST(GatherError, TakeAlongAxis) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT(
      [&] { take_along_axis(x, int64s({0}), 0); },
      ThrowsMessage<ShapeError>("take_along_axis: expected indices of x's shape but for axis "
                                "0, got [1]; x=[2, 3] indices=[1]"));
  EXPECT_THAT(
      [&] {
        take_along_axis(x, zeros({3, 3}, DType::kInt64), 1);
      },
      ThrowsMessage<ShapeError>("take_along_axis: expected indices of x's shape but for axis "
                                "1, got [3, 3]; x=[2, 3] indices=[3, 3]"));
  EXPECT_THAT(
      [&] {
        take_along_axis(x, transpose(reshape(int64s({0, 1, 1, 3}), {2, 2})), 1);
      },
      ThrowsMessage<std::out_of_range>("take_along_axis: expected indices in [0, 3), got 3 "
                                       "at [1, 1]; x=[2, 3] indices=[2, 2]"));
  EXPECT_THAT(
      [&] {
        take_along_axis(x, zeros({2, 3}), 1);
      },
      ThrowsMessage<std::invalid_argument>("take_along_axis: expected int64 indices, got "
                                           "float32; x=[2, 3] indices=[2, 3]"));
  EXPECT_THAT(
      [&] {
        take_along_axis(x, zeros({2, 3}, DType::kInt64), 2);
      },
      ThrowsMessage<ShapeError>("take_along_axis: expected axis in [-2, 2), got 2; "
                                "x=[2, 3]"));
  EXPECT_THROW(take_along_axis(Tensor(), int64s({0}), 0), std::invalid_argument);
  EXPECT_THROW(take_along_axis(x, Tensor(), 0), std::invalid_argument);
  EXPECT_THROW(take_along_axis(scalar(1), scalar(0, DType::kInt64), 0), ShapeError);
}

TEST(GatherError, IndexSelectAndOneHot) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { index_select(x, 1, zeros({1})); },
              ThrowsMessage<std::invalid_argument>("index_select: expected int64 ids, got float32; "
                                                   "x=[2, 3] ids=[1]"));
  EXPECT_THAT(
      [&] {
        index_select(x, 0, zeros({1, 1, 1, 1, 1, 1, 1, 1}, DType::kInt64));
      },
      ThrowsMessage<ShapeError>("index_select: expected a result of at most 8 axes, got 9; "
                                "x=[2, 3] ids=[1, 1, 1, 1, 1, 1, 1, 1]"));
  EXPECT_THROW(index_select(x, 2, int64s({0})), ShapeError);
  EXPECT_THROW(index_select(Tensor(), 0, int64s({0})), std::invalid_argument);
  EXPECT_THAT([&] { index_select(x, 0, Tensor()); },
              ThrowsMessage<std::invalid_argument>("index_select: expected a tensor, got an "
                                                   "undefined one"));
  EXPECT_THAT(
      [&] {
        index_select_backward({2, 3}, 0, int64s({0}), x);
      },
      ThrowsMessage<ShapeError>("index_select_backward: expected dy.shape == [1, 3], got "
                                "[2, 3]; dy=[2, 3]"));
  EXPECT_THAT(
      [] {
        one_hot(int64s({1, 3}), 3);
      },
      ThrowsMessage<std::out_of_range>("one_hot: expected ids in [0, 3), got 3 at [1]; "
                                       "ids=[2]"));
  EXPECT_THAT([] { one_hot(int64s({1}), -1); },
              ThrowsMessage<std::invalid_argument>("one_hot: expected classes >= 0, got -1; "
                                                   "ids=[1]"));
  EXPECT_THAT(
      [] {
        one_hot(zeros({1, 1, 1, 1, 1, 1, 1, 1}, DType::kInt64), 3);
      },
      ThrowsMessage<ShapeError>("one_hot: expected ndim < 8, got 8; "
                                "ids=[1, 1, 1, 1, 1, 1, 1, 1]"));
  EXPECT_THROW(one_hot(ones({2}), 3), std::invalid_argument);
  EXPECT_THROW(one_hot(Tensor(), 3), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
