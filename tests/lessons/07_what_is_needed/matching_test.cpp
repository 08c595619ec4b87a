#include "lessons/07_what_is_needed/matching.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/module_weight.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_07 {
namespace {

constexpr DType kF64 = DType::kFloat64;

tasks::DictionaryModel::Options options_with(const Matrices& matrices, std::int64_t shift = 0) {
  return model_options({.matrices = matrices, .shift = shift});
}

TEST(FactsOf, AreThoseOfTwoByTwo) {
  const ScoreFacts even = facts_of(matrix({{2, 1}, {1, 2}}, kF64));
  EXPECT_EQ(even.asymmetry, 0);
  EXPECT_DOUBLE_EQ(even.deviation, 0.5);
  EXPECT_NEAR(even.smallest, 1, 1e-12);
  EXPECT_EQ(even.own_best, 1);
  const ScoreFacts indefinite = facts_of(matrix({{0, 2}, {2, 3}}, kF64));
  EXPECT_NEAR(indefinite.smallest, -1, 1e-12) << "eigenvalues 4 and -1";
  EXPECT_EQ(indefinite.own_best, 0.5);
  EXPECT_EQ(facts_of(matrix({{0, 5}, {2, 0}}, kF64)).asymmetry, 3);
}

TEST(RelativeChange, IsOfFrobeniusNorms) {
  EXPECT_DOUBLE_EQ(relative_change(matrix({{3, 4}, {0, 1}}, kF64), matrix({{3, 4}, {0, 0}}, kF64)),
                   0.2);
}

TEST(KeyTable, HasTheScoresOfTheModel) {
  for (const Matrices& matrices : {kAll, kTied, kNoKey, kNone}) {
    const tasks::DictionaryModel model(nn::Seed(3), options_with(matrices));
    // With one value for all cards, theirs is the mean.
    const Tensor values = tasks::weight_of(model, "value_embedding.weight");
    copy_into(values, expand(clone(slice(values, 0, 0, 1)), values.shape()));
    const KeyTable table = key_table(model, 16);
    Generator generator(3, "page");
    const tasks::DictionaryBatch page = tasks::draw_dictionary(1, model.options().sizes, generator);
    nn::AttentionTrace trace;
    model(page, &trace);
    const auto question = static_cast<std::int64_t>(page.query.at({0}));
    for (std::int64_t card = 0; card < 8; ++card) {
      const auto key = static_cast<std::int64_t>(page.keys.at({0, card}));
      EXPECT_NEAR(table.scores.at({question, key}), trace.scaled_scores.value().at({0, 0, 8, card}),
                  1e-5)
          << name_of(matrices);
    }
  }
}

TEST(QuestionWeights, FindsTheCardsThatAWeightIsOn) {
  const tasks::DictionaryModel model(nn::Seed(1), options_with(kAll, /*shift=*/1));
  fill(tasks::weight_of(model, "attention.q_proj.weight"), 0);  // all scores 0: 1/9 each
  Generator generator(1, "pages");
  const QuestionWeights even = question_weights(model, 256, generator);
  EXPECT_NEAR(even.right, 1.0 / 9, 1e-6);
  EXPECT_NEAR(even.itself, 1.0 / 9, 1e-6);
  EXPECT_NEAR(even.before, 1.0 / 9, 1e-6);
  // Besides the right one 7 cards, of the 15 other keys; one of these is k - 1.
  EXPECT_NEAR(even.others, (7 - 7.0 / 15) / 9, 6 * 0.5 / 9 / 16);
  EXPECT_EQ(even.wrong_itself, 0) << "as much on any card";
}

TEST(QuestionWeights, SeesAQuestionThatLooksAtItself) {
  const tasks::DictionaryModel model(nn::Seed(1), options_with(kNone, /*shift=*/1));
  mul_into(tasks::weight_of(model, "mark.weight"), 10);
  Generator generator(1, "pages");
  const QuestionWeights asked = question_weights(model, 64, generator);
  EXPECT_GT(asked.itself, 0.99);
  EXPECT_EQ(asked.wrong_itself, 1);
}

TEST(WithoutKeyAndValue, AnswersAlikeOnlyIfItMultiplies) {
  const tasks::DictionaryModel full(nn::Seed(2), options_with(kAll));
  Generator generator(2, "pages");
  const tasks::DictionaryBatch pages = tasks::draw_dictionary(16, full.options().sizes, generator);
  const Tensor logits = full(pages).value();
  const auto merged = without_key_and_value(full, /*multiply=*/true);
  EXPECT_EQ(merged->num_parameters(), full.num_parameters() - 2 * 32 * 32);
  EXPECT_LT(course::relative_distance((*merged)(pages).value(), logits), 1e-5);
  const auto left_out = without_key_and_value(full, /*multiply=*/false);
  EXPECT_GT(course::relative_distance((*left_out)(pages).value(), logits), 0.1);
}

TEST(BeyondValues, IsNotAboveZeroForAMean) {
  const tasks::DictionaryModel model(nn::Seed(2), options_with(kAll));
  Generator generator(2, "pages");
  EXPECT_LE(beyond_values(model, tasks::draw_dictionary(16, model.options().sizes, generator)), 0);
}

TEST(ExchangeWeights, PutsEachInTheOthersPlace) {
  const Tensor a = matrix({{1, 2}}), b = matrix({{3, 4}});
  exchange_weights(a, b);
  EXPECT_EQ(a.to_vector(), (std::vector<double>{3, 4}));
  EXPECT_EQ(b.to_vector(), (std::vector<double>{1, 2}));
}

TEST(WithRolesExchanged, IsTheModelOnceTheWeightsAreExchangedToo) {
  const tasks::DictionaryModel model(nn::Seed(4), options_with(kAll));
  Generator generator(4, "pages");
  const tasks::DictionaryBatch pages = tasks::draw_dictionary(8, model.options().sizes, generator);
  const Tensor logits = model(pages).value();
  EXPECT_GT(course::relative_distance(with_roles_exchanged(model, pages).value(), logits), 0.05);
  exchange_weights(tasks::weight_of(model, "attention.q_proj.weight"),
                   tasks::weight_of(model, "attention.k_proj.weight"));
  EXPECT_LT(course::relative_distance(with_roles_exchanged(model, pages).value(), logits), 1e-5);
}

}  // namespace
}  // namespace gradwalk::lesson_07
