#include "lessons/21_interventions/trained_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lessons/21_interventions/example_text.h"
#include "lessons/course/engine/lesson.h"

namespace gradwalk::lesson_21 {
namespace {

using tasks::ExtraLoss;
using tasks::NumberQuestion;
using tasks::NumberTraining;

class TrainedModelsTest : public testing::Test {
 protected:
  course::Lesson lesson() const {
    course::Lesson lesson(21, "interventions", "A lesson");
    lesson.sabotage("weightless", "nothing counts");
    return lesson;
  }
  NumberTraining added(const AuxiliaryLoss& auxiliary, bool weightless = false) const {
    const course::Lesson of = lesson();
    course::Settings settings{.seed = 5};
    if (weightless) settings.breaks.insert("weightless");
    course::StepRecord record;
    course::Step step(of, settings, &record);
    EXPECT_EQ(model_seed(step, 2), 502U);
    return with_auxiliary(step, auxiliary, plain_);
  }
  const NumberTraining plain_{.updates = 0};
};

TEST_F(TrainedModelsTest, HaveTheExtraLossUnlessItWeighsNothing) {
  NumberTraining expected = plain_;
  expected.extra = ExtraLoss::kPairs;
  expected.extra_weight = 0.5;
  EXPECT_EQ(added({ExtraLoss::kPairs, 0.5}), expected);
  EXPECT_EQ(added({ExtraLoss::kPairs, 0}), plain_);  // so that it is trained once
  EXPECT_EQ(added({ExtraLoss::kPairs, 0.5}, /*weightless=*/true), plain_);
}

TEST_F(TrainedModelsTest, AreAskedForTheLargestNumberIfTheirAnswersWereDrawn) {
  const course::Lesson of = lesson();
  const course::Settings settings{.seed = 5};
  course::StepRecord record;
  const course::Step step(of, settings, &record);
  NumberTraining drawn = plain_;
  drawn.task.question = NumberQuestion::kNothing;
  drawn.model.heads = 2;
  const std::vector<const TrainedModel*> models = trained_models(step, drawn, 2);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1]->heads.size(), 2U);
  NumberTraining asked = drawn;
  asked.task.question = NumberQuestion::kMax;  // untrained, it is the same model
  EXPECT_EQ(models[1]->score.accuracy, trained_models(step, asked, 2)[1]->score.accuracy);
  EXPECT_EQ(trained_models(step, drawn, 2), models);
}

TEST(ExampleText, SaysWhatItsIdsAre) {
  const ExampleText text = example_text();
  ASSERT_EQ(text.tokens.size(), text.ids.size());
  for (std::size_t at = 1; at < text.ids.size(); ++at) {
    const int id = static_cast<int>(text.ids[at]);
    EXPECT_EQ(text.tokens[at], id <= 16 ? std::to_string(id - 1) : "n" + std::to_string(id - 17));
  }
  EXPECT_EQ(text.tokens[text.largest], "12");
}

}  // namespace
}  // namespace gradwalk::lesson_21
