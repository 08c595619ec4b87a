#include "lessons/22_values_and_collapse/values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/measures.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_22 {
namespace {

using course::distance;

class Values : public testing::Test {
 protected:
  const tasks::NumberTask task_ = {};
  const tasks::ClsModel model_{{}, nn::Seed(3)};
  const Tensor& table_ = model_.embeddings();
};

TEST_F(Values, OfNumbersAreChangedAndNoOthers) {
  const ValueTables tables = value_tables(model_, task_, Changed::kNumbers);
  const Tensor own = number_rows(table_, task_);
  for (const Tensor* table : {&tables.alike, &tables.shuffled, &tables.none}) {
    EXPECT_EQ(distance(noun_rows(*table, task_), noun_rows(table_, task_)), 0);
    EXPECT_EQ(distance(select(*table, 0, 0), select(table_, 0, 0)), 0);
    EXPECT_GT(distance(number_rows(*table, task_), own), 0.1);
  }
  for (std::int64_t row = 0; row < task_.numbers; ++row) {
    EXPECT_LT(distance(select(number_rows(tables.alike, task_), 0, row), mean(own, {0})), 1e-6);
    EXPECT_EQ(distance(select(number_rows(tables.shuffled, task_), 0, row),
                       select(own, 0, (row + 5) % task_.numbers)),
              0);
  }
  EXPECT_EQ(course::largest(number_rows(tables.none, task_)), 0);
}

TEST_F(Values, OfNounsAreChangedIfAskedFor) {
  const ValueTables tables = value_tables(model_, task_, Changed::kNouns);
  EXPECT_EQ(distance(number_rows(tables.alike, task_), number_rows(table_, task_)), 0);
  EXPECT_EQ(course::largest(noun_rows(tables.none, task_)), 0);
  EXPECT_LT(
      distance(select(noun_rows(tables.alike, task_), 0, 7), mean(noun_rows(table_, task_), {0})),
      1e-6);
}

TEST_F(Values, AreScoredWhileWeightsStay) {
  const tasks::NumberBatch texts = tasks::number_tests(task_, 1, 100);
  const ValueScores scores = value_scores(model_, task_, texts, Changed::kNumbers);
  EXPECT_EQ(scores.trained, number_score(model_, task_, texts).accuracy);
  EXPECT_EQ(scores.on_answer_alike, number_score(model_, task_, texts).on_answer[0]);
  EXPECT_EQ(over({scores, scores}, &ValueScores::alike).mean, scores.alike);
}

TEST(WeightByAnswer, IsTheShareOfNumbersWhereWeightsAreUniform) {
  // 3 of 7 tokens, [CLS] among them.
  const tasks::NumberTask task{.tokens = 6, .fewest = 3, .most = 3};
  const tasks::ClsModel model({.weighting = tasks::Weighting::kUniform}, nn::Seed(3));
  const std::vector<double> weights =
      weight_by_answer(model, task, tasks::number_tests(task, 1, 400));
  ASSERT_EQ(weights.size(), 16U);
  EXPECT_TRUE(std::isnan(weights[0]));  // the largest is never 0
  for (std::size_t answer = 1; answer < weights.size(); ++answer) {
    EXPECT_NEAR(weights[answer], 3.0 / 7, 1e-6) << answer;
  }
}

}  // namespace
}  // namespace gradwalk::lesson_22
