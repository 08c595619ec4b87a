#include "tensor/where.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/where.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

DType some_dtype(RandomCase& c) {
  const DType others[] = {c.dtype(), c.dtype(), DType::kInt64, DType::kBool};
  return others[c.below(4)];
}

TEST(Where, EqualsTheReference) {
  for_each_case("where", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const DType dtype = some_dtype(c);
    const Tensor cond = c.tensor(c.narrowed(shape), DType::kBool, Values::kPlain);
    const Tensor a = c.tensor(c.narrowed(shape), dtype, c.values());
    const Tensor b = c.tensor(c.narrowed(shape), dtype, c.values());
    const Tensor y = where(cond, a, b);
    EXPECT_EQ(test::difference(y, reference::where(cond, a, b), 0), "");
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(y.is_contiguous());
    const double number = static_cast<double>(c.below(2));
    EXPECT_EQ(test::difference(where(cond, a, number),
                               reference::where(cond, a, scalar(number, dtype)), 0),
              "");
    EXPECT_EQ(test::difference(where(cond, number, b),
                               reference::where(cond, scalar(number, dtype), b), 0),
              "");
  });
}

TEST(MaskedFill, EqualsTheReference) {
  for_each_case("masked_fill", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const DType dtype = some_dtype(c);
    const Tensor x = c.tensor(shape, dtype, c.values());
    const Tensor mask = c.tensor(c.narrowed(shape), DType::kBool, Values::kPlain);
    const double value = is_float(dtype) ? -std::numeric_limits<double>::infinity()
                                         : static_cast<double>(c.below(2));
    const Tensor y = masked_fill(x, mask, value);
    EXPECT_EQ(test::difference(y, reference::masked_fill(x, mask, value), 0), "");
    EXPECT_EQ(y.dtype(), dtype);
  });
}

TEST(Where, ThreeShapesStretchTogether) {
  const Tensor cond = reshape(vector({1, 0}, DType::kBool), {2, 1, 1});
  const Tensor a = matrix({{1}, {2}});  // [2, 1]
  const Tensor b = vector({10, 20, 30});
  const Tensor y = where(cond, a, b);
  EXPECT_EQ(y.shape(), Shape({2, 2, 3}));
  EXPECT_THAT(y.to_vector(), ElementsAre(1, 1, 1, 2, 2, 2, 10, 20, 30, 10, 20, 30));
  EXPECT_EQ(where(cond, 1.0, zeros({0})).shape(), Shape({2, 1, 0}));
  EXPECT_EQ(where(scalar(1, DType::kBool), scalar(3), scalar(4)).item(), 3);
}

// A choice computed as a * mask + b * (1 - mask) let an infinity or a NaN through from entries that
// are not taken: infinity times 0 is NaN (BR-46).
TEST(Where, WhatIsNotTakenLeavesNoTrace) {
  const auto report = test::bug_report("BR-46");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& inputs = report.at("inputs");
  const auto& expected = report.at("expected");
  const Tensor cond = vector({1, 0, 0}, DType::kBool);  // inputs.condition
  const Tensor y =
      where(cond, test::tensor_from(inputs.at("a")), test::tensor_from(inputs.at("b")));
  EXPECT_EQ(test::difference(y, test::tensor_from(expected.at("out")), 0), "");

  const auto& fill = inputs.at("masked_fill");
  const Tensor filled = masked_fill(test::tensor_from(fill.at("x")), vector({1, 0}, DType::kBool),
                                    fill.at("value").get<double>());
  EXPECT_EQ(test::difference(filled, test::tensor_from(expected.at("masked_fill_out")), 0), "");
}

TEST(MaskedFill, AMaskServesAllThatItStretchesOver) {
  const Tensor scores = reshape(vector({1, 2, 3, 4, 5, 6, 7, 8}), {2, 2, 2});  // [B, T, S]
  const Tensor future = matrix({{0, 1}, {0, 0}}, DType::kBool);
  EXPECT_THAT(masked_fill(scores, future, -1).to_vector(), ElementsAre(1, -1, 3, 4, 5, -1, 7, 8));
  EXPECT_THAT(masked_fill(transpose(scores), future, -1).to_vector(),
              ElementsAre(1, -1, 2, 4, 5, -1, 6, 8));
  EXPECT_THAT(scores.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(WhereError, NamesAllThreeOperands) {
  const Tensor cond = ones({2, 1}, DType::kBool);
  EXPECT_THAT(
      [&] {
        where(ones({4, 1}, DType::kBool), zeros({2, 3}), zeros({3}));
      },
      ThrowsMessage<ShapeError>(
          "where: expected sizes that are equal or 1, aligned at the last axis, got 4 and "
          "2 at axis -2; cond=[4, 1] a=[2, 3] b=[3]"));
  EXPECT_THAT(
      [&] {
        where(cond, zeros({2, 3}), zeros({2, 4}));
      },
      ThrowsMessage<ShapeError>(
          "where: expected sizes that are equal or 1, aligned at the last axis, got 3 and "
          "4 at axis -1; cond=[2, 1] a=[2, 3] b=[2, 4]"));
  EXPECT_THAT([&] { where(zeros({2}), zeros({2}), zeros({2})); },
              ThrowsMessage<std::invalid_argument>(
                  "where: expected a bool cond, got float32; cond=[2] a=[2] b=[2]"));
  EXPECT_THAT(
      [&] {
        where(cond, zeros({2, 3}), arange(0, 3));
      },
      ThrowsMessage<std::invalid_argument>("where: expected one dtype for a and b, got "
                                           "float32 and int64; a=[2, 3] b=[3]"));
  EXPECT_THAT([&] { where(cond, arange(0, 2), 0.5); },
              ThrowsMessage<std::invalid_argument>(
                  "where: expected a whole number beside an int64 tensor, got 0.5; x=[2]"));
  const char* const undefined = "where: expected a tensor, got an undefined one";
  EXPECT_THAT([&] { where(Tensor(), cond, cond); },
              ThrowsMessage<std::invalid_argument>(undefined));
  EXPECT_THAT([&] { where(cond, Tensor(), cond); },
              ThrowsMessage<std::invalid_argument>(undefined));
  EXPECT_THAT([&] { where(cond, cond, Tensor()); },
              ThrowsMessage<std::invalid_argument>(undefined));
  EXPECT_THAT([&] { where(cond, 1.0, Tensor()); }, ThrowsMessage<std::invalid_argument>(undefined));
}

TEST(MaskedFillError, TheMaskStretchesAndXDoesNot) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { masked_fill(x, ones({2}, DType::kBool), 0); },
              ThrowsMessage<ShapeError>("masked_fill: expected a mask that broadcasts to x.shape, "
                                        "got [2]; x=[2, 3] mask=[2]"));
  EXPECT_THAT(
      [&] {
        masked_fill(x, ones({4, 2, 3}, DType::kBool), 0);
      },
      ThrowsMessage<ShapeError>("masked_fill: expected a mask that broadcasts to x.shape, "
                                "got [4, 2, 3]; x=[2, 3] mask=[4, 2, 3]"));
  EXPECT_THROW(masked_fill(zeros({1}), ones({3}, DType::kBool), 0), ShapeError);
  EXPECT_THAT([&] { masked_fill(x, ones({3}), 0); },
              ThrowsMessage<std::invalid_argument>(
                  "masked_fill: expected a bool mask, got float32; x=[2, 3] mask=[3]"));
  EXPECT_THAT([&] { masked_fill(arange(0, 3), ones({3}, DType::kBool), 0.5); },
              ThrowsMessage<std::invalid_argument>(
                  "masked_fill: expected a whole number beside an int64 tensor, got 0.5; x=[3]"));
  EXPECT_THAT(
      [&] { masked_fill(Tensor(), ones({3}, DType::kBool), 0); },
      ThrowsMessage<std::invalid_argument>("masked_fill: expected a tensor, got an undefined one"));
  EXPECT_THROW(masked_fill(x, Tensor(), 0), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
