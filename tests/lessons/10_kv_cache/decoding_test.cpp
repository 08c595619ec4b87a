#include "lessons/10_kv_cache/decoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/language_model.h"

namespace gradwalk::lesson_10 {
namespace {

constexpr tasks::LanguageModelOptions kSmall{
    .d_model = 8, .heads = 4, .kv_heads = 2, .context = 12, .train_words = 100, .test_words = 100};

const Tensor& text() {
  static const Tensor words = words_of(tasks::test_text(kSmall, 1), 12);
  return words;
}

TEST(Decoding, IsTheSameOneByOneAtOnceAndByLoops) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const Tensor at_once = tasks::logits_at_once(*model, text());
  EXPECT_EQ(at_once.shape(), (Shape{12, 40}));
  EXPECT_LT(course::distance(logits_one_by_one(*model, text()), at_once), 1e-5);
  EXPECT_LT(course::distance(logits_by_loops(*model, text()), at_once), 1e-5);
  const auto exact = in_float64(*model);
  EXPECT_LT(course::distance(logits_one_by_one(*exact, text()), logits_by_loops(*exact, text())),
            1e-13);
}

TEST(Decoding, WithoutAMaskOldKeysMoveBehindTheFirstLayer) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const auto open = with_mask(*model, /*causal=*/false);
  const auto kept = moves_of_old_keys(*model, text(), 4);
  const auto moved = moves_of_old_keys(*open, text(), 4);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[1].size(), 9u);  // texts of 4 to 12 words
  for (const double move : kept[1]) EXPECT_LT(move, 1e-5);
  EXPECT_LT(moved[0].back(), 1e-5);
  EXPECT_EQ(moved[1].front(), 0);
  EXPECT_GT(moved[1].back(), 0.01);
  EXPECT_GT(
      course::distance(logits_one_by_one(*open, text()), tasks::logits_at_once(*open, text())),
      0.1);
}

TEST(Decoding, WritesToTheEndOfThePositionsTwice) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const Texts texts = write_twice(*model, std::span(tasks::test_text(kSmall, 1)).first(5));
  EXPECT_EQ(texts.words, 7);
  EXPECT_EQ(texts.equal, 7);
  EXPECT_EQ(std::count(texts.text.begin(), texts.text.end(), ' '), 6);
}

// Width 8, 2 kv heads of 2, feed-forward of 16: a layer's weights are 64 + 32 + 32 + 64 + 256.
TEST(Decoding, CountsAStepFromTheWeightsAndThePairs) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const StepCost cost = cost_of_a_step(*model, text(), /*cached=*/true, /*counted=*/true);
  EXPECT_EQ(cost.with, 2 * (448 + 12 * (8 + 8)) + 8 * 40);
  EXPECT_EQ(cost.without, 12 * cost.with);
  const StepCost broken = cost_of_a_step(*model, text(), /*cached=*/false, /*counted=*/true);
  EXPECT_EQ(broken.with, broken.without);
}

}  // namespace
}  // namespace gradwalk::lesson_10
