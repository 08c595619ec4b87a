#include "lessons/17_alignment/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/17_alignment/records.h"
#include "lessons/course/engine/lesson.h"
#include "tensor/create.h"

namespace gradwalk::lesson_17 {
namespace {

using testing::ElementsAre;

class AlignmentModels : public testing::Test {
 protected:
  const course::Lesson lesson_{17, "alignment", "A lesson"};
  const course::Settings settings_{.seed = 5};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

// Two numbers, 0 and 1 (ids 1 and 2), and two nouns.
TEST(SharePicked, CountsTextsWhoseExtremeNumberStandsFirst) {
  tasks::NumberTask task;
  task.numbers = task.nouns = 2;
  tasks::NumberBatch texts;
  texts.ids = from_vector({0, 1, 3, 2,  //
                           0, 1, 4, 1,  //
                           0, 2, 3, 4},
                          {3, 4}, DType::kInt64);
  const Tensor rising = vector({9, 1, 2, 8, 8}), falling = vector({9, 2, 1, 8, 8});
  EXPECT_EQ(share_picked(rising, texts, task, /*smallest=*/false), 1);
  EXPECT_DOUBLE_EQ(share_picked(rising, texts, task, /*smallest=*/true), 2.0 / 3);
  EXPECT_DOUBLE_EQ(share_picked(falling, texts, task, /*smallest=*/false), 2.0 / 3);
  EXPECT_EQ(share_picked(falling, texts, task, /*smallest=*/true), 1);
}

TEST(TokenNames, TellNumbersFromNouns) {
  const Tensor ids = from_vector({0, 1, 16, 17, 32}, {1, 5}, DType::kInt64);
  EXPECT_THAT(token_names(ids, {}), ElementsAre("[CLS]", "0", "15", "n0", "n15"));
}

TEST(Beginning, IsTheFirstUpdates) {
  EXPECT_THAT(beginning({1, 2}), ElementsAre(1, 2));
  EXPECT_EQ(beginning(std::vector<double>(300, 1)).size(), 200U);
}

TEST(TrainingOf, DiffersFromTheMainOneInOneThing) {
  const tasks::NumberTraining main = training_of(Kind::kMax, 7);
  EXPECT_EQ(main.updates, 7);
  tasks::NumberTraining noun = training_of(Kind::kNouns, 7);
  EXPECT_NE(noun, main);
  noun.task = main.task;
  EXPECT_EQ(noun, main);
  tasks::NumberTraining even = training_of(Kind::kUniform, 7);
  EXPECT_NE(even, main);
  even.model = main.model;
  EXPECT_EQ(even, main);
}

TEST_F(AlignmentModels, MeasuresEachModelOnce) {
  const tasks::NumberTraining training = training_of(Kind::kMax, 2);
  const auto models = model_measures(step_, training, 2);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_NE(models[0]->accuracy, 1);
  EXPECT_EQ(model_measures(step_, training, 1)[0], models[0]);
  EXPECT_EQ(models[0]->curves->gap.size(), 2U);
  EXPECT_EQ(models[1]->curves, &model_of(step_, training, 1).curves);
}

TEST_F(AlignmentModels, SeesNoDifferenceWhereWeightsAreEvenAnyway) {
  const ModelMeasures& even = *model_measures(step_, training_of(Kind::kUniform, 2), 1)[0];
  EXPECT_EQ(even.accuracy, even.without_weights);
  EXPECT_NEAR(even.on_answer, 1.0 / 9, 1e-6);
  EXPECT_LE(std::abs(even.along_axis), 1);
}

}  // namespace
}  // namespace gradwalk::lesson_17
