#include "lessons/tasks/numbers/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace gradwalk::tasks {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::int64_t kTexts = 2000;

// A text read back from its ids.
struct Read {
  std::vector<std::int64_t> numbers, nouns;   // worths, and places among nouns
  std::vector<std::int64_t> held, noun_held;  // those of them that the masks point at
  std::int64_t answer;
};

std::vector<Read> read(const NumberBatch& batch, const NumberTask& task) {
  std::vector<Read> texts;
  for (std::int64_t row = 0; row < batch.ids.shape()[0]; ++row) {
    EXPECT_EQ(batch.ids.at({row, 0}), 0);
    EXPECT_EQ(batch.holds.at({row, 0}), 0);
    Read text{{}, {}, {}, {}, static_cast<std::int64_t>(batch.answer.at({row}))};
    for (std::int64_t t = 1; t <= task.tokens; ++t) {
      const auto id = static_cast<std::int64_t>(batch.ids.at({row, t}));
      EXPECT_GE(id, 1);
      EXPECT_LT(id, task.vocabulary());
      const bool number = id <= task.numbers;
      const std::int64_t worth = number ? id - 1 : id - 1 - task.numbers;
      (number ? text.numbers : text.nouns).push_back(worth);
      if (batch.holds.at({row, t}) != 0) text.held.push_back(worth);
      if (batch.noun_holds.defined() && batch.noun_holds.at({row, t}) != 0) {
        text.noun_held.push_back(worth);
      }
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<Read> drawn(const NumberTask& task, std::int64_t texts = kTexts) {
  Generator generator(1, "texts");
  return read(draw_numbers(texts, task, generator), task);
}

std::int64_t largest(const std::vector<std::int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

// Counts are within 4 standard deviations of what equally likely outcomes give.
void expect_uniform(const std::map<std::int64_t, int>& counts, std::int64_t first,
                    std::int64_t last) {
  int all = 0;
  for (const auto& [value, count] : counts) all += count;
  const double share = 1.0 / static_cast<double>(last - first + 1);
  for (std::int64_t value = first; value <= last; ++value) {
    const auto found = counts.find(value);
    EXPECT_NEAR(found == counts.end() ? 0 : found->second, all * share,
                4 * std::sqrt(all * share * (1 - share)))
        << value;
  }
  EXPECT_EQ(counts.begin()->first, first);
  EXPECT_EQ(counts.rbegin()->first, last);
}

TEST(DrawNumbers, BalancedHasEachMaximumAsOftenAndOnce) {
  const NumberTask task;
  std::map<std::int64_t, int> answers, counts, nouns;
  std::map<std::int64_t, int> below_nine;
  for (const Read& text : drawn(task)) {
    ++answers[text.answer];
    ++counts[static_cast<std::int64_t>(text.numbers.size())];
    EXPECT_EQ(text.numbers.size() + text.nouns.size(), 8U);
    EXPECT_EQ(largest(text.numbers), text.answer);
    EXPECT_EQ(std::count(text.numbers.begin(), text.numbers.end(), text.answer), 1);
    EXPECT_THAT(text.held, ElementsAre(text.answer));
    for (const std::int64_t noun : text.nouns) ++nouns[noun];
    for (const std::int64_t number : text.numbers) {
      if (text.answer == 9 && number != 9) ++below_nine[number];
    }
  }
  expect_uniform(answers, 1, 15);
  expect_uniform(counts, 2, 4);
  expect_uniform(nouns, 0, 15);
  expect_uniform(below_nine, 0, 8);
}

TEST(DrawNumbers, PutsTheAnswerAtEachPlaceAsOften) {
  const NumberTask task;
  Generator generator(1, "texts");
  const NumberBatch batch = draw_numbers(kTexts, task, generator);
  std::map<std::int64_t, int> places;
  for (std::int64_t row = 0; row < kTexts; ++row) {
    for (std::int64_t t = 0; t <= task.tokens; ++t) {
      if (batch.holds.at({row, t}) != 0) ++places[t];
    }
  }
  expect_uniform(places, 1, 8);
}

TEST(DrawNumbers, UniformDrawsEachNumberByItself) {
  NumberTask task;
  task.draw = NumberDraw::kUniform;
  task.fewest = task.most = 2;
  std::map<std::int64_t, int> numbers;
  int twice = 0;
  for (const Read& text : drawn(task)) {
    for (const std::int64_t number : text.numbers) ++numbers[number];
    EXPECT_EQ(text.answer, largest(text.numbers));
    EXPECT_THAT(text.held, Each(text.answer));
    twice += text.numbers[0] == text.numbers[1] ? 1 : 0;
    EXPECT_EQ(text.held.size(), text.numbers[0] == text.numbers[1] ? 2U : 1U);
  }
  expect_uniform(numbers, 0, 15);
  EXPECT_NEAR(twice, kTexts / 16.0, 4 * std::sqrt(kTexts / 16.0 * 15 / 16));
}

TEST(DrawNumbers, RanksBySomethingElseThanWorth) {
  NumberTask smallest;
  smallest.order = smallest_first_order(16);
  std::map<std::int64_t, int> answers;
  for (const Read& text : drawn(smallest)) {
    ++answers[text.answer];
    EXPECT_EQ(text.answer, *std::min_element(text.numbers.begin(), text.numbers.end()));
    EXPECT_THAT(text.held, ElementsAre(text.answer));
  }
  expect_uniform(answers, 0, 14);

  for (const auto& order : {shuffled_order(), magnitude_order(16)}) {
    NumberTask task;
    task.order = order;
    const std::vector<double> ranks = task.ranks();
    for (const Read& text : drawn(task, 200)) {
      for (const std::int64_t number : text.numbers) {
        EXPECT_LE(ranks[static_cast<std::size_t>(number)],
                  ranks[static_cast<std::size_t>(text.answer)]);
      }
      EXPECT_THAT(text.numbers, Contains(text.answer));
    }
  }
}

TEST(NumberOrders, AreWhatTheySay) {
  EXPECT_THAT(smallest_first_order(4), ElementsAre(3, 2, 1, 0));
  // Distances from 2.5 are 2.5, 1.5, 0.5, 0.5, 1.5, 2.5.
  EXPECT_THAT(magnitude_order(6), ElementsAre(2, 3, 1, 4, 0, 5));
  NumberTask task;
  EXPECT_EQ(task.ranks()[3], 3);
  task.numbers = 6;
  task.order = magnitude_order(6);
  EXPECT_THAT(task.ranks(), ElementsAre(4, 2, 0, 1, 3, 5));
}

TEST(DrawNumbers, AsksForNounsInTheSameWay) {
  NumberTask task;
  task.question = NumberQuestion::kNounMax;
  std::map<std::int64_t, int> answers, numbers;
  for (const Read& text : drawn(task)) {
    ++answers[text.answer];
    EXPECT_EQ(text.answer, largest(text.nouns));
    EXPECT_THAT(text.held, ElementsAre(text.answer));
    for (const std::int64_t number : text.numbers) ++numbers[number];
  }
  expect_uniform(answers, 1, 15);
  expect_uniform(numbers, 0, 15);
  EXPECT_EQ(task.classes(), 16);
}

TEST(DrawNumbers, AsksForBoth) {
  NumberTask task;
  task.question = NumberQuestion::kJoint;
  task.nouns = 12;
  Generator generator(1, "texts");
  const NumberBatch batch = draw_numbers(300, task, generator);
  std::size_t row = 0;
  for (const Read& text : read(batch, task)) {
    EXPECT_EQ(text.answer, largest(text.numbers));
    EXPECT_THAT(text.held, ElementsAre(text.answer));
    const auto noun =
        static_cast<std::int64_t>(batch.noun_answer.at({static_cast<std::int64_t>(row++)}));
    EXPECT_EQ(noun, largest(text.nouns));
    EXPECT_THAT(text.noun_held, ElementsAre(noun));
  }
  EXPECT_EQ(task.vocabulary(), 29);
}

TEST(DrawNumbers, ThresholdPresenceAndSum) {
  NumberTask task;
  task.question = NumberQuestion::kThreshold;
  std::map<std::int64_t, int> answers;
  for (const Read& text : drawn(task)) {
    EXPECT_EQ(text.answer, largest(text.numbers) >= 8 ? 1 : 0);
    EXPECT_THAT(text.held, SizeIs(text.numbers.size()));
    ++answers[text.answer];
  }
  // All n are small once in 2^n: (1/4 + 1/8 + 1/16) / 3 of the texts.
  EXPECT_NEAR(answers[0], kTexts * 7 / 48.0, 4 * std::sqrt(kTexts * 0.146 * 0.854));

  task.question = NumberQuestion::kPresence;
  answers.clear();
  for (const Read& text : drawn(task)) {
    EXPECT_EQ(text.answer, text.numbers.empty() ? 0 : 1);
    ++answers[text.answer];
  }
  expect_uniform(answers, 0, 1);
  EXPECT_EQ(task.classes(), 2);

  task.question = NumberQuestion::kSum;
  task.fewest = task.most = 2;
  for (const Read& text : drawn(task, 200)) {
    ASSERT_EQ(text.numbers.size(), 2U);
    EXPECT_EQ(text.answer, text.numbers[0] + text.numbers[1]);
  }
  EXPECT_EQ(task.classes(), 31);
}

TEST(DrawNumbers, NothingHasTheTextsOfMaxAndAnswersThatDoNotDependOnThem) {
  NumberTask task;
  task.question = NumberQuestion::kNothing;
  std::map<std::int64_t, int> answers, largest_ones;
  int right = 0;
  for (const Read& text : drawn(task)) {
    ++answers[text.answer];
    ++largest_ones[largest(text.numbers)];
    right += text.answer == largest(text.numbers) ? 1 : 0;
  }
  expect_uniform(answers, 0, 15);
  expect_uniform(largest_ones, 1, 15);
  EXPECT_NEAR(right, kTexts / 16.0, 4 * std::sqrt(kTexts / 16.0 * 15 / 16));
}

TEST(DrawNumbersError, SaysWhatDoesNotFit) {
  const auto drawing = [](const NumberTask& task) {
    return [task] {
      Generator generator(1, "texts");
      draw_numbers(1, task, generator);
    };
  };
  NumberTask task;
  task.most = 9;
  EXPECT_THAT(drawing(task),
              ThrowsMessage<std::invalid_argument>(
                  "draw_numbers: expected numbers, nouns >= 2 and 1 <= fewest <= most <= 8, got "
                  "16, 16, 2 and 9"));
  task.most = 8;
  EXPECT_NO_THROW(drawing(task)());
  task.question = NumberQuestion::kNounMax;  // one token must be a noun
  EXPECT_THAT(drawing(task),
              ThrowsMessage<std::invalid_argument>(
                  "draw_numbers: expected numbers, nouns >= 2 and 1 <= fewest <= most <= 7, got "
                  "16, 16, 2 and 8"));
  task = {.question = NumberQuestion::kSum};
  EXPECT_THAT(drawing(task), ThrowsMessage<std::invalid_argument>(
                                 "draw_numbers: expected fewest == most for a sum, got 2 and 4"));
  task = {.numbers = 3, .order = {0, 1, 1}};
  EXPECT_THAT(drawing(task), ThrowsMessage<std::invalid_argument>(
                                 "draw_numbers: expected an order of 0, ..., 2, got [0, 1, 1]"));
}

}  // namespace
}  // namespace gradwalk::tasks
