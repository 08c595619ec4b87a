#include "lessons/15_repetition/repetition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lessons/15_repetition/writers.h"
#include "tensor/create.h"

namespace gradwalk::lesson_15 {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

Tensor texts(const std::vector<double>& ids, std::int64_t count) {
  return from_vector(ids, {count, static_cast<std::int64_t>(ids.size()) / count}, DType::kInt64);
}

TEST(RepeatedShare, CountsWhatStoodInTheSameTextBefore) {
  // 01 12 20 01 12: the last two of five pairs; 01 12 23 34 45: none.
  EXPECT_THAT(repeated_share(texts({0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5}, 2), 2),
              ElementsAre(0.4, 0));
  EXPECT_THAT(repeated_share(texts({7, 7, 7, 7, 7, 7}, 1)), ElementsAre(2.0 / 3));
  EXPECT_THAT(
      [] {
        repeated_share(texts({1, 2, 3}, 1));
      },
      ThrowsMessage<std::invalid_argument>(
          "repeated_share: expected texts of at least `length` words"));
}

TEST(ShareInLoop, LooksFromTheGivenWordToTheEnd) {
  const Tensor two = texts({9, 8, 1, 2, 1, 2, 1, 2, /**/ 9, 8, 1, 2, 1, 2, 1, 3}, 2);
  EXPECT_EQ(share_in_loop(two, 2, 2), 0.5);
  EXPECT_EQ(share_in_loop(two, 1, 2), 0) << "not yet in the loop";
  EXPECT_EQ(share_in_loop(two, 2, 1), 0) << "the loop is longer";
  EXPECT_THAT([&] { share_in_loop(two, 2, 4); },
              ThrowsMessage<std::invalid_argument>(
                  "share_in_loop: expected first >= 0 and room for two rounds"));
}

TEST(CyclesOf, FindsEachCycleAndWhatLeadsIntoIt) {
  //  0 -> 1 -> 2 -> 1,   3 -> 3,   4 -> 5 -> 0
  const std::vector<Cycle> cycles = cycles_of({1, 2, 1, 3, 5, 0});
  ASSERT_EQ(cycles.size(), 2U);
  EXPECT_THAT(cycles[0].ids, ElementsAre(1, 2));
  EXPECT_EQ(cycles[0].basin, 5);
  EXPECT_THAT(cycles[1].ids, ElementsAre(3));
  EXPECT_EQ(cycles[1].basin, 1);
}

TEST(Writers, OfOneSeedHaveTheSamePrompts) {
  const Writer full{.updates = 0, .seed = 3}, last{.updates = 0, .seed = 3, .last_word_only = true};
  EXPECT_EQ(prompts_of(full, 4).to_vector(), prompts_of(last, 4).to_vector());
  EXPECT_EQ(real_texts(full, 5).shape(), (Shape{5, kWords}));
}

// An untrained model spreads its attention nearly evenly: between ln 24 and ln 32 in full windows,
// less in the first.
TEST(WritingEntropy, IsThatOfTheMapsAndOfTheDraw) {
  const Writer writer{.updates = 0, .seed = 3, .attention_temperature = 1e6};
  const WritingEntropy drawn = writing_entropy(writer, 3, 1e6);
  ASSERT_EQ(drawn.attention.size(), 3U);
  // Rows of 8 to 32 keys, each with the same weight: the mean logarithm of their numbers.
  double expected = 0;
  for (int word = 0; word < kWords; ++word) {
    const int end = kPrompt + 7 + word / 8 * 8;  // of the window that the word's row is in
    expected += std::log(std::min(end, 32) - 7 + word % 8) / kWords;
  }
  for (int text = 0; text < 3; ++text) {
    EXPECT_NEAR(drawn.attention[static_cast<std::size_t>(text)], expected, 1e-4);
    EXPECT_NEAR(drawn.next_word[static_cast<std::size_t>(text)], std::log(40), 1e-4);
  }
  EXPECT_EQ(writing_entropy(writer, 3, 0).next_word[0], 0) << "nothing is drawn";
}

}  // namespace
}  // namespace gradwalk::lesson_15
