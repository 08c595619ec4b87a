#include "lessons/14_reading_heads/readers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/basis.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

class ReadersTest : public testing::Test {
 protected:
  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
  const LanguageReader reader_{.updates = 0, .seed = 5};
};

TEST(OrderAgreement, IsTheMeanOverQueries) {
  const Tensor a = from_vector({1, 2, 3, /**/ 3, 2, 1, /**/ 1, 3, 2}, {3, 3});
  const Tensor b = from_vector({10, 20, 30, /**/ 1, 2, 3, /**/ 2, 3, 1}, {3, 3});
  const Agreement found = order_agreement(a, b);
  EXPECT_NEAR(found.spearman, (1 - 1 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found.first, 2.0 / 3, 1e-12);
}

TEST(ByKind, IsTheMeanOverTheWordsOfAKind) {
  // so the the .
  const Tensor words = from_vector({0, 7, 7, 37}, {1, 4}, DType::kInt64);
  const ByKind effect = effect_by_kind({words, {}, from_vector({1, 2, 4, 8}, {1, 4})});
  const auto of = [&](tasks::GrammarKind kind) { return effect[static_cast<std::size_t>(kind)]; };
  EXPECT_EQ(of(tasks::GrammarKind::kTopic), 1);
  EXPECT_EQ(of(tasks::GrammarKind::kDeterminer), 3);
  EXPECT_EQ(of(tasks::GrammarKind::kMark), 8);
}

TEST_F(ReadersTest, EvenMapsGiveEachKindAnEvenShare) {
  LanguageReader even = reader_;
  even.even_maps = true;
  for (const double weight : weight_by_kind(step_, even)) EXPECT_NEAR(weight, 1, 1e-6);
}

TEST_F(ReadersTest, AnotherBasisChangesCosinesAlone) {
  const auto model = model_of(step_, reader_);
  const QueryKeyMeasures before = query_key_measures(*model, reader_);
  EXPECT_EQ(before.cosines.shape(), (Shape{2, 4, 64 * 32}));
  change_basis(*model, tasks::stretched_axis(8, 100));
  const QueryKeyMeasures after = query_key_measures(*model, reader_);
  EXPECT_NEAR(after.loss, before.loss, 1e-6);
  EXPECT_LT(course::distance(after.weights, before.weights), 1e-5);
  EXPECT_GT(course::distance(after.cosines, before.cosines), 0.1);
  EXPECT_GT(after.query_length, 5 * before.query_length);
}

TEST_F(ReadersTest, AWordIsWeighedAndHidden) {
  const WeightAndEffect& found = weight_and_effect(step_, reader_, 3);
  EXPECT_EQ(found.effects.shape(), (Shape{3, 24}));
  for (const double whole : sum(found.weights, 1).to_vector()) EXPECT_NEAR(whole, 1, 1e-6);
  EXPECT_GE(min(found.effects).item(), 0);
  EXPECT_GT(max(found.effects).item(), 0);
  const Agreement gradient = agreement_with_gradient(step_, reader_);
  EXPECT_GT(gradient.spearman, 0);
  EXPECT_LE(gradient.first, 1);
}

}  // namespace
}  // namespace gradwalk::lesson_14
