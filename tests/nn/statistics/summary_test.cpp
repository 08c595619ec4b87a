#include "nn/statistics/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

TEST(Summarize, MeanDeviationAndStandardError) {
  const Summary s = summarize({1, 3, 5, 7});
  EXPECT_EQ(s.count, 4);
  EXPECT_EQ(s.mean, 4);
  EXPECT_NEAR(s.standard_deviation, std::sqrt(20 / 3.0), 1e-15);
  EXPECT_NEAR(s.standard_error, std::sqrt(5 / 3.0), 1e-15);
}

TEST(Summarize, OneNumberHasNoDeviation) {
  EXPECT_EQ(summarize({7}).mean, 7);
  EXPECT_TRUE(std::isnan(summarize({7}).standard_deviation));
  EXPECT_TRUE(std::isnan(summarize({7}).standard_error));
}

// The mean of three times 0.1 by one sum is 0.1 and a bit.
TEST(Summarize, EqualNumbersHaveNoSpread) {
  for (const std::size_t count : {2U, 3U, 10U, 1000U}) {
    const Summary s = summarize(std::vector<double>(count, 0.1));
    EXPECT_EQ(s.mean, 0.1) << count;
    EXPECT_EQ(s.standard_deviation, 0) << count;
  }
}

TEST(Summarize, FarFromZero) {
  EXPECT_NEAR(summarize({1e9 + 1, 1e9 + 2, 1e9 + 3}).standard_deviation, 1, 1e-12);
}

TEST(Summarize, NanStaysVisible) {
  EXPECT_TRUE(std::isnan(summarize({1, std::nan("")}).mean));
  EXPECT_TRUE(std::isnan(summarize({1, std::nan("")}).standard_deviation));
  EXPECT_THAT([] { summarize({}); },
              ThrowsMessage<std::invalid_argument>("summarize: expected at least 1 value, got 0"));
}

}  // namespace
}  // namespace gradwalk::nn
