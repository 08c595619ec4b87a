#include "nn/statistics/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

TEST(Accuracy, CountsTheLargestLogits) {
  const Tensor logits =
      from_vector({0, 1, 2, 5, 4, 3, 1, 1, 0, -1, -3, -2}, {2, 2, 3}, DType::kFloat32);
  EXPECT_EQ(accuracy(logits, from_vector({2, 0, 0, 0}, {2, 2}, DType::kInt64)), 1)
      << "of two equal logits the first";
  EXPECT_EQ(accuracy(logits, from_vector({2, 0, 1, 2}, {2, 2}, DType::kInt64)), 0.5);
  EXPECT_EQ(accuracy(from_vector({3, 4}, {2}, DType::kFloat64), scalar(1, DType::kInt64)), 1);
}

TEST(AccuracyError, Texts) {
  const Tensor answer = zeros({2}, DType::kInt64);
  EXPECT_THAT(
      [&] {
        accuracy(zeros({3, 4}), answer);
      },
      ThrowsMessage<ShapeError>("accuracy: expected logits [..., V] and answer [...], got "
                                "[3, 4] and [2]; logits=[3, 4] answer=[2]"));
  EXPECT_THAT(
      [&] {
        accuracy(zeros({2, 0}), answer);
      },
      ThrowsMessage<ShapeError>("accuracy: expected logits [..., V] and answer [...], got "
                                "[2, 0] and [2]; logits=[2, 0] answer=[2]"));
  EXPECT_THAT(
      [&] {
        accuracy(zeros({2, 3}), zeros({2}));
      },
      ThrowsMessage<std::invalid_argument>(
          "accuracy: expected answers int64, got float32; logits=[2, 3] answer=[2]"));
}

}  // namespace
}  // namespace gradwalk::nn
