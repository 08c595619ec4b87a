#include "lessons/08_long_range/reach.h"

#include <gtest/gtest.h>

namespace gradwalk::lesson_08 {
namespace {

TEST(PullOf, IsTheSameWordWhereTheFirstIsTheLastButOne) {
  for (const Reader reader : {Reader::kRnn, Reader::kGru, Reader::kAttention}) {
    const InputGradients pull = input_gradients(reader, /*length=*/2, /*seed=*/1);
    EXPECT_GT(pull.far, 0);
    EXPECT_EQ(pull.far, pull.near);
  }
}

TEST(PullOf, VanishesThroughAnRnnAndNotThroughAttention) {
  const InputGradients rnn = input_gradients(Reader::kRnn, /*length=*/24, /*seed=*/1);
  const InputGradients attention = input_gradients(Reader::kAttention, /*length=*/24, /*seed=*/1);
  EXPECT_LT(rnn.far, 1e-4 * rnn.near);
  EXPECT_GT(attention.far, 1e-2 * attention.near);
}

TEST(SlopeOf, IsThatOfALineAndOfTheBestLine) {
  EXPECT_DOUBLE_EQ(slope_of({1, 2, 4}, {5, 3, -1}), -2);
  EXPECT_DOUBLE_EQ(slope_of({0, 1, 2}, {0, 3, 0}), 0);
}

TEST(GeometricMean, IsTheMeanOfLogarithms) { EXPECT_DOUBLE_EQ(geometric_mean({1, 4, 16}), 4); }

}  // namespace
}  // namespace gradwalk::lesson_08
