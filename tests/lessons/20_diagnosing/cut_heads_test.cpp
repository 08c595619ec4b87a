#include "lessons/20_diagnosing/cut_heads.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lessons/20_diagnosing/models.h"
#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"

namespace gradwalk::lesson_20 {
namespace {

TEST(InQuarter, TakesTheValuesByTheOrderOfOthers) {
  const std::vector<double> by = {9, 1, 5, 3, 7, 2, 6, 4}, values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(in_quarter(values, by, 0), 4);  // of 1 and 2: 2 and 6
  EXPECT_EQ(in_quarter(values, by, 1), 6);  // of 3 and 4: 4 and 8
  EXPECT_EQ(in_quarter(values, by, 3), 3);  // of 7 and 9: 5 and 1
  EXPECT_THROW(in_quarter(values, by, 4), std::invalid_argument);
  EXPECT_THROW(in_quarter({1, 2, 3}, {1, 2, 3}, 0), std::invalid_argument);
  EXPECT_THROW(in_quarter(values, {1, 2, 3, 4}, 0), std::invalid_argument);
}

TEST(CutHeads, AHeadWithEvenWeightsHasNoGapAndIsNotMissed) {
  const tasks::NumberTraining training = training_with(HeadShape::kFour, 0);
  const auto model = tasks::new_number_model(training, /*seed=*/3);
  tasks::make_uniform(*model, 2);
  CutHeads heads;
  for (int i = 0; i < 2; ++i) {
    heads.add(*model, training.task, tasks::number_tests(training.task, /*seed=*/3, 50));
  }
  ASSERT_EQ(heads.gap.size(), 8U);
  ASSERT_EQ(heads.drop.size(), 8U);
  EXPECT_EQ(heads.right.size(), 2U);
  for (const std::size_t dead : {2U, 6U}) {
    EXPECT_EQ(heads.gap[dead], 0);
    EXPECT_EQ(heads.drop[dead], 0);
    EXPECT_NEAR(heads.ratio[dead], 1, 1e-6);
    EXPECT_NEAR(heads.on_answer[dead], 1.0 / 9, 1e-6);
  }
  EXPECT_NE(heads.gap[0], 0);
}

TEST(TrainingWith, GivesHeadsTogetherAsWideAsEmbeddingsButForTheNarrowOne) {
  const auto width = [](HeadShape shape) {
    const tasks::ClsModelOptions model = training_with(shape, 0).model;
    return model.heads * model.head_dim;
  };
  EXPECT_EQ(width(HeadShape::kSquare), 16);
  EXPECT_EQ(width(HeadShape::kFour), 16);
  EXPECT_EQ(width(HeadShape::kNarrow), 8);
}

}  // namespace
}  // namespace gradwalk::lesson_20
