#include "lessons/08_long_range/reach.h"

#include <gtest/gtest.h>

namespace gradwalk::lesson_08 {
namespace {

TEST(PullOf, IsTheSameWordWhereTheFirstIsTheLastButOne) {
  for (const Reader reader : {Reader::kRnn, Reader::kGru, Reader::kAttention}) {
    const Pull pull = pull_of(reader, /*length=*/2, /*seed=*/1);
    EXPECT_GT(pull.far, 0);
    EXPECT_EQ(pull.far, pull.near);
  }
}

TEST(PullOf, VanishesThroughAnRnnAndNotThroughAttention) {
  const Pull rnn = pull_of(Reader::kRnn, /*length=*/24, /*seed=*/1);
  const Pull attention = pull_of(Reader::kAttention, /*length=*/24, /*seed=*/1);
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
