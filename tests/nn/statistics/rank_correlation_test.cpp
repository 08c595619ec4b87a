#include "nn/statistics/rank_correlation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(AverageRanks, TiesShareTheMeanOfTheirPlaces) {
  EXPECT_THAT(average_ranks({30, 10, 30}), ElementsAre(2.5, 1, 2.5));
  EXPECT_THAT(average_ranks({5, 5, 5}), ElementsAre(2, 2, 2));
  EXPECT_THAT(average_ranks({2, 7, 2, 7, 2, -1}), ElementsAre(3, 5.5, 3, 5.5, 3, 1));
  EXPECT_THAT(average_ranks({0.0, -0.0}), ElementsAre(1.5, 1.5));
  EXPECT_THAT(average_ranks({}), IsEmpty());
}

// IQ and hours of television: the example of Wikipedia's "Spearman's rank correlation coefficient",
// rho = -29 / 165.
TEST(Spearman, OfAPublishedExample) {
  EXPECT_NEAR(spearman({106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                       {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
              -29 / 165.0, 1e-15);
}

// By hand: ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4, so rho = 4.5 / sqrt(4.5 * 5).
TEST(Spearman, WithTies) {
  EXPECT_NEAR(spearman({1, 2, 2, 3}, {10, 20, 30, 40}), 3 / std::sqrt(10.0), 1e-15);
}

TEST(Spearman, SeesTheOrderAlone) {
  EXPECT_EQ(spearman({1, 2, 3, 4}, {0, 1e-9, 5, std::numeric_limits<double>::infinity()}), 1);
  EXPECT_EQ(spearman({1, 2, 3}, {8, 2, -9}), -1);
}

TEST(Spearman, OfAConstantIsZero) {
  EXPECT_EQ(spearman({3, 3, 3}, {1, 2, 3}), 0);
  EXPECT_EQ(spearman({3, 3}, {3, 3}), 0);
}

TEST(Spearman, NanStaysVisible) {
  EXPECT_TRUE(std::isnan(spearman({1, std::nan(""), 3}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(spearman({1, 1, 1}, {1, 2, std::nan("")})));
}

TEST(SpearmanError, NamesBothLengths) {
  EXPECT_THAT(
      [] {
        spearman({1, 2, 3}, {1, 2});
      },
      ThrowsMessage<std::invalid_argument>(
          "spearman: expected a and b of one length, at least 2, got 3 and 2"));
  EXPECT_THROW(spearman({1}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
