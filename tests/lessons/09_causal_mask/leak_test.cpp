#include "lessons/09_causal_mask/leak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/language_model.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_09 {
namespace {

constexpr tasks::LanguageModelOptions kSmall{
    .d_model = 8, .layers = 1, .heads = 2, .context = 12, .train_words = 100, .test_words = 300};

TEST(StepwiseLogits, AreThoseOfAllAtOnceUnderAMaskOnly) {
  const Tensor text = select(tasks::text_windows(tasks::test_text(kSmall, 1), 12, 1).inputs, 0, 0);
  tasks::LanguageModelOptions open = kSmall;
  open.causal = false;
  const auto masked = tasks::new_language_model(kSmall, 1);
  const auto sees_all = tasks::new_language_model(open, 1);
  EXPECT_LT(course::distance(tasks::logits_at_once(*masked, text), stepwise_logits(*masked, text)),
            1e-5);
  const Tensor once = tasks::logits_at_once(*sees_all, text);
  const Tensor steps = stepwise_logits(*sees_all, text);
  EXPECT_GT(course::distance(once, steps), 0.01);
  EXPECT_EQ(course::distance(slice(once, 0, 11, 12), slice(steps, 0, 11, 12)), 0);  // sees no less
}

TEST(PrefixLosses, AverageToTheLossOfWindowsUnderAMask) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const auto& text = tasks::test_text(kSmall, 1);
  const std::vector<double> losses = prefix_losses(*model, text, 1, 12, 0);
  ASSERT_EQ(losses.size(), 12U);
  EXPECT_NEAR(std::accumulate(losses.begin(), losses.end(), 0.0) / 12,
              tasks::language_model_loss(*model, text, 12), 1e-5);
}

TEST(ScoreBehindFirstMark, LeavesOutWhatWasBegunBefore) {
  Generator generator(1, "leak_test");
  const std::vector<std::int64_t> text = tasks::draw_grammar(60, generator);
  const auto cut = std::span(text).subspan(3);  // in the middle of a sentence
  EXPECT_LT(tasks::score_grammar(cut).legal_sentences, tasks::score_grammar(cut).sentences);
  const tasks::GrammarScore score = score_behind_first_mark(cut);
  EXPECT_GT(score.sentences, 0);
  EXPECT_EQ(score.legal_sentences, score.sentences);
  EXPECT_EQ(score_behind_first_mark(cut.first(2)).pairs, 0);
}

TEST(WrittenTexts, IsTheSameForTheSameDraws) {
  const auto model = tasks::new_language_model(kSmall, 1);
  const auto& prompts = tasks::test_text(kSmall, 1);
  const WrittenTexts a = written_texts(*model, prompts, 2, Generator(3, "texts"));
  const WrittenTexts b = written_texts(*model, prompts, 2, Generator(3, "texts"));
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.score.pairs, b.score.pairs);
  EXPECT_EQ(WrittenTexts{}.legal_sentences(), 0);
}

}  // namespace
}  // namespace gradwalk::lesson_09
