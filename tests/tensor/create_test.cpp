#include "tensor/create.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/allocator.h"
#include "tensor/detail/storage.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr DType kAll[] = {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kBool};

TEST(Create, FullIsOneValueInEveryDType) {
  for (const DType dtype : kAll) {
    EXPECT_THAT(full({3, 5}, 1, dtype).to_vector(), AllOf(SizeIs(15), Each(1))) << name(dtype);
    EXPECT_THAT(zeros({17}, dtype).to_vector(), AllOf(SizeIs(17), Each(0))) << name(dtype);
    EXPECT_THAT(ones({2, 0}, dtype).to_vector(), SizeIs(0)) << name(dtype);
    EXPECT_EQ(ones({}, dtype).item(), 1) << name(dtype);
    EXPECT_EQ(zeros({}, dtype).dtype(), dtype);
  }
  EXPECT_EQ(full({2}, -0.5).at({1}), -0.5);
}

TEST(Create, ScalarHasNoAxes) {
  EXPECT_EQ(scalar(2.5).shape(), Shape());
  EXPECT_EQ(scalar(2.5).item(), 2.5);
}

TEST(Create, VectorAndMatrixFromWrittenElements) {
  EXPECT_EQ(vector({1, 2, 3}).shape(), Shape({3}));
  EXPECT_EQ(vector({}).shape(), Shape({0}));
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}}, DType::kInt64);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.dtype(), DType::kInt64);
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(matrix({}).shape(), Shape({0, 0}));
}

TEST(Create, FromVectorIsRowMajor) {
  const Tensor x = from_vector({1, 2, 3, 4, 5, 6}, {3, 2}, DType::kFloat64);
  EXPECT_EQ(x.at({2, 0}), 5);
}

TEST(Create, ArangeIsHalfOpen) {
  EXPECT_THAT(arange(-1, 3).to_vector(), ElementsAre(-1, 0, 1, 2));
  EXPECT_EQ(arange(0, 1).dtype(), DType::kInt64);
  EXPECT_EQ(arange(2, 2).shape(), Shape({0}));
  EXPECT_EQ(arange(3, 2).shape(), Shape({0}));
}

// end - begin does not fit 63 bits: it was computed all the same.
TEST(Create, ArangeOfMoreThanFitsIsAnError) {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT([=] { arange(kLowest, kLargest); },
              ThrowsMessage<ShapeError>("arange: expected end - begin that fits int64, got "
                                        "-9223372036854775808 to 9223372036854775807"));
  EXPECT_EQ(arange(kLargest, kLowest).shape(), Shape({0}));
}

TEST(CreateError, RaggedMatrix) {
  EXPECT_THAT(
      [] {
        matrix({{1, 2}, {3}});
      },
      ThrowsMessage<ShapeError>("matrix: expected rows of 2 values, got one of 1"));
}

TEST(CreateError, WrongNumberOfValues) {
  EXPECT_THAT(
      [] {
        from_vector({1, 2, 3}, {2, 2});
      },
      ThrowsMessage<ShapeError>("from_vector: expected 4 values, got 3; shape=[2, 2]"));
}

// Casting these to int64 is undefined; on x86 it gave -2^63 without a word.
TEST(CreateError, ValuesThatDoNotFitInt64) {
  EXPECT_THAT(
      [] { full({2}, std::nan(""), DType::kInt64); },
      ThrowsMessage<std::invalid_argument>("full: expected values that fit int64, got nan"));
  EXPECT_THAT(
      [] {
        vector({1, 1e30}, DType::kInt64);
      },
      ThrowsMessage<std::invalid_argument>("vector: expected values that fit int64, got 1e+30"));
  EXPECT_THROW(scalar(0x1p63, DType::kInt64), std::invalid_argument);
  EXPECT_THAT(vector({2.75, -2.75}, DType::kInt64).to_vector(), ElementsAre(2, -2));  // truncates
}

TEST(CreateError, NegativeSize) {
  EXPECT_THAT(
      [] {
        zeros({3, -1});
      },
      ThrowsMessage<ShapeError>("zeros: expected sizes >= 0, got -1 at axis 1; "
                                "shape=[3, -1]"));
  EXPECT_THROW(ones({0, -1}), ShapeError);
}

// A product of sizes that wraps gave a block smaller than the shape says, and the first write went
// past its end (BR-44).
TEST(CreateError, SizesWhoseProductDoesNotFit) {
  const std::int64_t live = memory_stats().used_blocks;
  const Shape shapes[] = {{4294967296, 4294967296}, {2305843009213693952, 2, 2, 2}};
  for (const Shape& shape : shapes) {
    EXPECT_THAT([&] { full(shape, 1, DType::kFloat64); },
                ThrowsMessage<ShapeError>("full: expected at most 2^63 - 1 elements, got more; "
                                          "shape=" +
                                          shape.str()));
  }
  EXPECT_THAT([] { zeros({9223372036854775807}, DType::kFloat64); },
              ThrowsMessage<ShapeError>("zeros: expected at most 2^63 - 1 bytes, got more, at 8 "
                                        "bytes an element; shape=[9223372036854775807]"));
  EXPECT_THROW(ones({3, -1}, DType::kFloat64), ShapeError);
  EXPECT_EQ(memory_stats().used_blocks, live);
  EXPECT_EQ(zeros({0, 5}, DType::kFloat64).numel(), 0);
  EXPECT_EQ(zeros({}, DType::kFloat64).numel(), 1);
  EXPECT_EQ(expand(scalar(1), {50000, 50000}).numel(), 2500000000);
}

// A reshape to sizes whose product wraps, or with a -1 that cannot be worked out, passed the check
// of the number of elements (BR-44).
TEST(CreateError, ReshapeToSizesThatCannotBeWorkedOut) {
  const Tensor x = zeros({6});
  EXPECT_THAT(
      [&] {
        reshape(x, {4, -1});
      },
      ThrowsMessage<ShapeError>("reshape: expected a shape of 6 elements, got [4, -1]; "
                                "x=[6]"));
  EXPECT_THROW(reshape(x, {-1, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {0, -1}), ShapeError);
}

TEST(Create, Eye) {
  EXPECT_THAT(eye(2).to_vector(), testing::ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(eye(3, DType::kInt64).dtype(), DType::kInt64);
  EXPECT_EQ(eye(0).shape(), Shape({0, 0}));
  EXPECT_THAT([] { eye(-1); }, testing::ThrowsMessage<ShapeError>(testing::StartsWith("eye: ")));
}

}  // namespace
}  // namespace gradwalk
