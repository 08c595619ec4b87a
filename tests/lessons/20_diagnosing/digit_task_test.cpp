#include "lessons/20_diagnosing/digit_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace gradwalk::lesson_20 {
namespace {

using testing::ThrowsMessage;

TEST(DrawDigits, AsksForTheLargestItem) {
  const DigitTask task{.digits = 3, .items = 4};
  constexpr std::int64_t kTexts = 800;
  Generator generator(1, "texts");
  const tasks::NumberBatch texts = draw_digits(kTexts, task, generator);
  EXPECT_EQ(texts.ids.shape(), Shape({kTexts, 9}));
  std::map<std::int64_t, int> answers, places;
  for (std::int64_t row = 0; row < kTexts; ++row) {
    EXPECT_EQ(texts.ids.at({row, 0}), 0);
    EXPECT_EQ(texts.holds.at({row, 0}), 0);
    std::vector<std::int64_t> items;
    for (std::int64_t item = 0; item < 4; ++item) {
      const double high = texts.ids.at({row, 1 + 2 * item}) - 1;
      const double low = texts.ids.at({row, 2 + 2 * item}) - 1;
      EXPECT_TRUE(high >= 0 && high < 3 && low >= 0 && low < 3);
      items.push_back(static_cast<std::int64_t>(3 * high + low));
    }
    const auto answer = static_cast<std::int64_t>(texts.answer.at({row}));
    const auto largest = std::max_element(items.begin(), items.end());
    EXPECT_EQ(*largest, answer);
    EXPECT_EQ(std::count(items.begin(), items.end(), answer), 1);
    const auto place = largest - items.begin();
    for (std::int64_t t = 1; t < 9; ++t) {
      EXPECT_EQ(texts.holds.at({row, t}) != 0, (t - 1) / 2 == place);
    }
    ++answers[answer];
    ++places[place];
  }
  // 100 an answer with standard deviation sqrt(800 * 7 / 64) = 9.4, 200 a place with 12.2; within
  // 4 of them.
  for (std::int64_t answer = 1; answer <= 8; ++answer) EXPECT_NEAR(answers[answer], 100, 38);
  for (std::int64_t place = 0; place < 4; ++place) EXPECT_NEAR(places[place], 200, 49);
  EXPECT_EQ(answers.size(), 8U);
}

TEST(DrawDigitsError, NamesTheSizes) {
  EXPECT_THAT(
      [] {
        Generator generator(1, "texts");
        draw_digits(1, {.digits = 1, .items = 2}, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "draw_digits: expected digits >= 2 and items >= 1, got 1 and 2"));
}

}  // namespace
}  // namespace gradwalk::lesson_20
