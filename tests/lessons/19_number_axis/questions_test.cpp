#include "lessons/19_number_axis/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lessons/course/engine/lesson.h"
#include "tensor/create.h"

namespace gradwalk::lesson_19 {
namespace {

using testing::ElementsAre;
using testing::Pointwise;

// Four numbers worth 0 ... 3, at (1 + worth, 0), and four nouns at (0, 1), (0, -1), (1, 0), (-1,
// 0). The query is (1, 0), keys are the embeddings, values those with their axes swapped.
void set_by_hand(tasks::ClsModel& model) {
  const Tensor same = matrix({{1, 0}, {0, 1}}, DType::kFloat32);
  model.load_state_dict(
      {{"embedding.weight",
        matrix({{1, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}},
               DType::kFloat32)},
       {"attention.q_proj.weight", same},
       {"attention.k_proj.weight", same},
       {"attention.v_proj.weight", matrix({{0, 1}, {1, 0}}, DType::kFloat32)},
       {"attention.o_proj.weight", same},
       {"readout.weight", zeros({4, 2}, DType::kFloat32)},
       {"readout.bias", vector({0, 1, 0, 0}, DType::kFloat32)}});
}

TEST(MeasuresOf, TellsRanksFromWorth) {
  tasks::NumberTask task = highest_by(tasks::smallest_first_order(4));
  task.numbers = task.nouns = 4;
  const tasks::NumberBatch tests = tasks::number_tests(task, /*seed=*/1, /*texts=*/200);
  tasks::ClsModel model({.vocabulary = 9, .classes = 4, .d_model = 2, .head_dim = 2}, nn::Seed(1));
  set_by_hand(model);
  const ModelMeasures seen = measures_of(model, task, tests);
  const double unit = 1 / std::sqrt(2.0);
  EXPECT_THAT(seen.scores,
              Pointwise(testing::DoubleNear(1e-6), {unit, 2 * unit, 3 * unit, 4 * unit}));
  EXPECT_DOUBLE_EQ(seen.worth_rho, 1);
  EXPECT_DOUBLE_EQ(seen.alignment.rho, -1) << "0 ranks highest";
  EXPECT_NEAR(seen.number_keys.share, 1, 1e-6);
  EXPECT_DOUBLE_EQ(seen.number_keys.order, 1) << "whichever end is the high one";
  EXPECT_NEAR(seen.noun_keys.share, 0.5, 1e-6) << "as wide as high";
  EXPECT_DOUBLE_EQ(seen.number_values.order, 1);
  const std::vector<double> answers = tests.answer.to_vector();
  EXPECT_DOUBLE_EQ(seen.accuracy,
                   static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / 200)
      << "its readout always says 1";
}

TEST(TrainedModels, AreOneModelForEachTaskAndSeedOnce) {
  course::Lesson lesson(19, "fake", "Fake");
  const course::Settings settings;
  course::StepRecord record;
  const course::Step step(lesson, settings, &record);
  const auto rows =
      trained_models(step, {largest_number(), sum_of_two()}, /*seeds=*/2, /*updates=*/2);
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(rows[0].size(), 2U);
  EXPECT_EQ(rows[0][0]->scores.size(), 16U);
  EXPECT_EQ(rows[1][0]->scores.size(), 8U);
  EXPECT_NE(rows[0][0]->scores, rows[0][1]->scores);
  EXPECT_EQ(trained_models(step, {sum_of_two()}, 1, 2)[0][0], rows[1][0]);
  EXPECT_NE(untrained_models(step, 1)[0]->scores, rows[0][0]->scores);
}

TEST(Each, IsTheMeasureOfEveryModel) {
  ModelMeasures one, two;
  one.accuracy = 0.25;
  two.accuracy = 0.75;
  const auto accuracy = [](const ModelMeasures& seen) { return seen.accuracy; };
  EXPECT_THAT(each({&one, &two}, accuracy), ElementsAre(0.25, 0.75));
  EXPECT_DOUBLE_EQ(mean_of({&one, &two}, accuracy), 0.5);
}

}  // namespace
}  // namespace gradwalk::lesson_19
