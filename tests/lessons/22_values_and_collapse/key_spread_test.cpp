#include "lessons/22_values_and_collapse/key_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/lesson.h"
#include "nn/diagnostics/collapse.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_22 {
namespace {

using tasks::NumberDraw;

class KeySpreads : public testing::Test {
 protected:
  std::vector<const KeySpread*> spreads(const tasks::NumberTraining& training) {
    course::StepRecord record;
    const course::Step step(lesson_, settings_, &record);
    return key_spreads(step, training, /*models=*/2);
  }

  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{.seed = 4};
};

TEST(TextsWith, HoldSoManyNumbersAndFourNouns) {
  const tasks::NumberTask task = texts_with(8, NumberDraw::kUniform);
  const tasks::NumberBatch texts = tasks::number_tests(task, 1, 50);
  EXPECT_EQ(texts.ids.shape(), (Shape{50, 13}));
  for (std::int64_t text = 0; text < 50; ++text) {
    int numbers = 0;
    for (std::int64_t at = 1; at < 13; ++at) {
      const double id = texts.ids.at({text, at});
      numbers += id >= 1 && id <= 16 ? 1 : 0;
    }
    EXPECT_EQ(numbers, 8);
  }
}

TEST_F(KeySpreads, AreMeasuredOnceForEachModel) {
  const tasks::NumberTraining training{.task = texts_with(2, NumberDraw::kUniform), .updates = 2};
  const auto models = spreads(training);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_NE(models[0], models[1]);
  EXPECT_EQ(spreads(training), models);
  // Drawn in the same way, and from the same stream: the same texts.
  EXPECT_EQ(models[0]->own, models[0]->pair);
}

TEST_F(KeySpreads, MeasureHalvesOfTheNumbers) {
  const auto models = spreads({.task = texts_with(2, NumberDraw::kUniform), .updates = 60});
  for (const KeySpread* model : models) {
    const Tensor low = slice(model->z, 0, 0, 8), high = slice(model->z, 0, 8, 16);
    EXPECT_EQ(model->low.pairs, nn::ordered_pairs(low));
    EXPECT_EQ(model->high.pairs, nn::ordered_pairs(high));
    EXPECT_EQ(model->all, nn::ordered_pairs(model->z));
    EXPECT_GT(model->low.spread, 0);
    EXPECT_LE(model->low.order, 1);
    // What is spread about the mean of all is spread within the halves, or between them.
    EXPECT_LT(7 * (std::pow(model->low.spread, 2) + std::pow(model->high.spread, 2)), 15 + 1e-6);
  }
}

TEST_F(KeySpreads, HaveNoPairScoreWhereTheLargestIsNotAskedFor) {
  tasks::NumberTraining training{.updates = 2};
  training.task.question = tasks::NumberQuestion::kPresence;
  EXPECT_TRUE(std::isnan(spreads(training)[0]->pair));
}

TEST(Each, PicksMembersAndWhatIsComputed) {
  KeySpread a, b;
  a.own = 1, b.own = 3;
  a.low.order = 0.5, b.low.order = 0.25;
  const std::vector<const KeySpread*> models = {&a, &b};
  EXPECT_EQ(each(models, &KeySpread::own), (std::vector<double>{1, 3}));
  EXPECT_EQ(over(models, &KeySpread::own).mean, 2);
  EXPECT_EQ(over(models, [](const KeySpread& measures) { return measures.low.order; }).highest,
            0.5);
}

TEST(AllBelow, ComparesPlaceByPlace) {
  EXPECT_TRUE(all_below({1, 2}, {2, 3}));
  EXPECT_FALSE(all_below({1, 3}, {2, 3}));
  EXPECT_FALSE(all_below({1, NAN}, {2, 3}));
}

}  // namespace
}  // namespace gradwalk::lesson_22
