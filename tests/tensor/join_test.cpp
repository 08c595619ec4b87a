#include "tensor/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reference/join.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

// The dtype of the case, or now and then int64 or bool.
Tensor any_tensor(RandomCase& c, const Shape& shape, std::int64_t kind) {
  if (kind == 0) return c.tensor(shape, DType::kInt64, Values::kIntegers);
  if (kind == 1) return c.tensor(shape, DType::kBool, Values::kIntegers);
  return c.tensor(shape);
}

TEST(Concat, EqualsTheReferenceAndSplitUndoesIt) {
  for_each_case("concat", 280, [](RandomCase& c) {
    const Shape shape = c.shape(1);
    const int axis = c.axis(shape);
    const std::int64_t kind = c.below(8);
    std::vector<Tensor> parts;
    std::vector<std::int64_t> sizes;
    for (std::int64_t count = 1 + c.below(4); count > 0; --count) {
      Shape own = shape;
      own.set(axis, c.below(6));  // also empty
      sizes.push_back(own[axis]);
      parts.push_back(any_tensor(c, own, kind));
    }
    const Tensor y = concat(std::span<const Tensor>(parts), axis);
    EXPECT_EQ(difference(y, reference::concat(parts, axis < 0 ? axis + shape.ndim() : axis), 0),
              "");
    EXPECT_EQ(y.dtype(), parts[0].dtype());
    EXPECT_TRUE(y.is_contiguous());
    const std::vector<Tensor> pieces = split(y, axis, std::span<const std::int64_t>(sizes));
    ASSERT_EQ(pieces.size(), parts.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(difference(pieces[i], parts[i], 0), "");
    }
  });
}

TEST(Stack, EqualsTheReference) {
  for_each_case("stack", 280, [](RandomCase& c) {
    const Shape shape = c.shape();
    const auto axis = static_cast<int>(c.below(2 * (shape.ndim() + 1))) - shape.ndim() - 1;
    const std::int64_t kind = c.below(8);
    std::vector<Tensor> parts;
    for (std::int64_t count = 1 + c.below(4); count > 0; --count) {
      parts.push_back(any_tensor(c, shape, kind));
    }
    const Tensor y = stack(std::span<const Tensor>(parts), axis);
    EXPECT_EQ(difference(y, reference::stack(parts, axis < 0 ? axis + shape.ndim() + 1 : axis), 0),
              "");
    EXPECT_EQ(y.dtype(), parts[0].dtype());
  });
}

TEST(Join, SmallCases) {
  const Tensor a = matrix({{1, 2}});
  const Tensor b = matrix({{3, 4}, {5, 6}});
  EXPECT_THAT(concat({a, b}, 0).to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(concat({transpose(b), b}, -1).to_vector(), ElementsAre(3, 5, 3, 4, 4, 6, 5, 6));
  EXPECT_THAT(stack({vector({1, 2}), vector({3, 4})}, 0).to_vector(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(stack({vector({1, 2}), vector({3, 4})}, -1).to_vector(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(stack({scalar(1), scalar(2)}, 0).shape(), Shape({2}));
  EXPECT_EQ(concat({b}, 1).shape(), b.shape());
}

// Joining with an empty part was an error, though it only adds nothing (BR-33).
TEST(Concat, EmptyPartsBr33) {
  const nlohmann::json report = test::bug_report("BR-33");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor want = test::tensor_from(report["expected"]["concatenate_shape_0_with_[1,2]"]);
  EXPECT_EQ(difference(concat({zeros({0}), vector({1, 2})}, 0), want, 0), "");
  EXPECT_EQ(concat({zeros({0}), zeros({0})}, 0).shape(), Shape({0}));
  EXPECT_EQ(concat({zeros({2, 0}), zeros({3, 0})}, 0).shape(), Shape({5, 0}));
  EXPECT_EQ(stack({zeros({0}), zeros({0})}, 0).shape(), Shape({2, 0}));
}

TEST(Concat, CopiesAndLeavesItsParts) {
  const Tensor x = vector({1, 2});
  const std::uint64_t version = x.version();
  const Tensor y = concat({x, x}, 0);  // the same storage twice
  EXPECT_EQ(x.version(), version);
  fill(y, 9);
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2));
}

TEST(Split, GivesViews) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  const std::vector<Tensor> columns = split(x, -1, {1, 2});
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[1].storage().get(), x.storage().get());
  EXPECT_THAT(columns[0].to_vector(), ElementsAre(1, 4));
  EXPECT_THAT(columns[1].to_vector(), ElementsAre(2, 3, 5, 6));
  fill(columns[1], 0);
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 0, 0, 4, 0, 0));
}

TEST(Split, IntoEqualPartsAndOddSizes) {
  const Tensor x = arange(0, 6);
  EXPECT_EQ(split(x, 0, 3).size(), 3U);
  EXPECT_THAT(split(x, 0, 3)[1].to_vector(), ElementsAre(2, 3));
  EXPECT_EQ(split(x, 0, {6}).size(), 1U);  // one piece of six, not six pieces
  EXPECT_EQ(split(x, 0, {0, 6, 0})[2].shape(), Shape({0}));
  EXPECT_EQ(split(zeros({2, 0}), 1, 3).size(), 3U);
  EXPECT_TRUE(split(zeros({0}), 0, std::span<const std::int64_t>()).empty());
}

TEST(JoinError, Concat) {
  const Tensor a = zeros({2, 3});
  EXPECT_THAT([] { concat(std::span<const Tensor>(), 0); },
              ThrowsMessage<ShapeError>("concat: expected at least one part, got none"));
  EXPECT_THAT(
      [&] {
        concat({a, zeros({2, 4})}, 0);
      },
      ThrowsMessage<ShapeError>("concat: expected parts whose shapes differ at axis 0 only, "
                                "got [2, 3] and [2, 4]; parts[0]=[2, 3] parts[1]=[2, 4]"));
  EXPECT_THAT(
      [&] {
        concat({a, a, zeros({3})}, -1);
      },
      ThrowsMessage<ShapeError>("concat: expected parts whose shapes differ at axis 1 only, "
                                "got [2, 3] and [3]; parts[0]=[2, 3] parts[2]=[3]"));
  EXPECT_THAT([&] { concat({a}, 2); },
              ThrowsMessage<ShapeError>("concat: expected axis in [-2, 1], got 2; "
                                        "parts[0]=[2, 3]"));
  EXPECT_THAT([] { concat({scalar(1)}, 0); },
              ThrowsMessage<ShapeError>("concat: expected parts with ndim >= 1 (stack takes 0-d "
                                        "ones), got 0; parts[0]=[]"));
  EXPECT_THAT(
      [&] {
        concat({a, zeros({2, 3}, DType::kFloat64)}, 0);
      },
      ThrowsMessage<std::invalid_argument>(
          "concat: expected one dtype for parts[0] and parts[1], got float32 and float64; "
          "parts[0]=[2, 3] parts[1]=[2, 3]"));
  EXPECT_THAT(
      [&] {
        concat({a, Tensor()}, 0);
      },
      ThrowsMessage<std::invalid_argument>("concat: expected tensors, got an undefined one "
                                           "as parts[1]"));
  const Tensor huge = expand(zeros({1}), {std::int64_t{1} << 62});
  EXPECT_THAT(
      [&] {
        concat({huge, huge}, 0);
      },
      ThrowsMessage<ShapeError>("concat: expected at most 2^63 - 1 elements, got more; "
                                "parts[0]=[4611686018427387904]"));
}

TEST(JoinError, Stack) {
  EXPECT_THAT([] { stack(std::span<const Tensor>(), 0); },
              ThrowsMessage<ShapeError>("stack: expected at least one part, got none"));
  EXPECT_THAT(
      [] {
        stack({zeros({2}), zeros({3})}, 0);
      },
      ThrowsMessage<ShapeError>("stack: expected parts of one shape, got [2] and [3]; "
                                "parts[0]=[2] parts[1]=[3]"));
  EXPECT_THAT([] { stack({zeros({2})}, -3); },
              ThrowsMessage<ShapeError>("stack: expected axis in [-2, 1], got -3; parts[0]=[2]"));
  EXPECT_THAT(
      [] {
        stack({zeros({1, 1, 1, 1, 1, 1, 1, 1})}, 0);
      },
      ThrowsMessage<ShapeError>("stack: expected ndim < 8, got 8; "
                                "parts[0]=[1, 1, 1, 1, 1, 1, 1, 1]"));
  EXPECT_THROW(stack({zeros({2}), arange(0, 2)}, 0), std::invalid_argument);
  EXPECT_THROW(stack({Tensor()}, 0), std::invalid_argument);
}

TEST(JoinError, Split) {
  const Tensor x = zeros({2, 6});
  EXPECT_THAT(
      [&] {
        split(x, 1, {2, 3});
      },
      ThrowsMessage<ShapeError>("split: expected sizes >= 0 that add up to 6, axis 1, got "
                                "[2, 3]; x=[2, 6]"));
  EXPECT_THROW(split(x, 1, {7, -1}), ShapeError);
  EXPECT_THROW(split(x, 1, {INT64_MAX, INT64_MAX}), ShapeError);
  EXPECT_THAT([&] { split(x, -1, 4); },
              ThrowsMessage<ShapeError>("split: expected a number of parts that divides 6, axis 1, "
                                        "got 4; x=[2, 6]"));
  EXPECT_THROW(split(x, 0, 0), ShapeError);
  EXPECT_THAT([&] { split(x, 2, 1); },
              ThrowsMessage<ShapeError>("split: expected axis in [-2, 2), got 2; x=[2, 6]"));
  EXPECT_THAT([] { split(Tensor(), 0, 1); }, ThrowsMessage<std::invalid_argument>(
                                                 "split: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
