#include "lessons/06_init_variance/initialization.h"

#include <gtest/gtest.h>

#include "lessons/course/engine/lesson.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_06 {
namespace {

using tasks::Optimizer;

class InitialModels : public testing::Test {
 protected:
  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{.seed = 4};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(InitialModels, ScoresCarryTheSquareOfTheFactor) {
  const InitialMeasures usual = initial_measures(step_, {}, 1);
  const InitialMeasures large = initial_measures(step_, {.factor = 5}, 1);
  EXPECT_NEAR(large.score_deviation / usual.score_deviation, 25, 1e-4);
  EXPECT_GT(large.max_weight, usual.max_weight);
  EXPECT_LT(large.entropy, usual.entropy);
}

TEST_F(InitialModels, DividingTakesTheSquareOut) {
  const InitialMeasures usual = initial_measures(step_, {}, 1);
  const InitialMeasures divided = initial_measures(step_, {.factor = 5, .divided = true}, 1);
  EXPECT_NEAR(divided.score_deviation, usual.score_deviation, 1e-5);
  EXPECT_NEAR(divided.score_gradient, usual.score_gradient, 1e-5);
  // k grows by 5, the scores' division by 25 remains.
  EXPECT_NEAR(divided.query_gradient, usual.query_gradient / 5, 1e-5);
}

TEST_F(InitialModels, SmallOnesLookEvenlyAndHearLittle) {
  const InitialMeasures small = initial_measures(step_, {.factor = 1e-2}, 1);
  const InitialMeasures smaller = initial_measures(step_, {.factor = 1e-3}, 1);
  EXPECT_NEAR(small.entropy, 1, 1e-6);
  EXPECT_NEAR(small.max_weight, 1.0 / 9, 1e-3);
  EXPECT_NEAR(small.score_gradient, smaller.score_gradient, 1e-4);
  EXPECT_NEAR(small.query_gradient / smaller.query_gradient, 10, 0.01);
  EXPECT_NEAR(small.query_relative, smaller.query_relative, 1e-4);
}

TEST_F(InitialModels, OneHotRowsAreDead) {
  EXPECT_EQ(initial_measures(step_, {}, 1).dead, 0);
  const InitialMeasures large = initial_measures(step_, {.factor = 100}, 1);
  EXPECT_GT(large.dead, 0.9);
  EXPECT_LT(large.score_gradient, large.score_gradient_rms);
}

TEST_F(InitialModels, AveragesOverModels) {
  const InitialMeasures one = initial_measures(step_, {}, 1), two = initial_measures(step_, {}, 2);
  EXPECT_NE(one.score_deviation, two.score_deviation);
  EXPECT_NEAR(one.score_deviation, two.score_deviation, 0.5);
}

TEST_F(InitialModels, TrainsAModelOnceAndOnTheSamePages) {
  const TrainingPlan recipe{.updates = 2};
  const TrainingResult* first = training_results(step_, {}, recipe, 1)[0];
  EXPECT_EQ(training_results(step_, {}, recipe, 2)[0], first);
  EXPECT_EQ(first->losses.size(), 2U);
  EXPECT_TRUE(first->never);
  EXPECT_EQ(first->updates, 2);
  const TrainingResult* sgd =
      training_results(step_, {}, {.optimizer = Optimizer::kSgd, .updates = 2}, 1)[0];
  EXPECT_EQ(sgd->losses[0], first->losses[0]);
  EXPECT_NE(sgd->losses[1], first->losses[1]);
  EXPECT_NE(training_results(step_, {.draw = 1}, recipe, 1)[0]->losses[0], first->losses[0]);
}

TEST_F(InitialModels, ReadOnePageFromEachFactor) {
  const PageAttention attention = page_attention(step_, {{}, {.factor = 2}});
  EXPECT_EQ(attention.scores.shape(), (Shape{2, 9}));
  EXPECT_EQ(attention.keys.shape(), (Shape{2, 9, 32}));
  EXPECT_NEAR(attention.query.at({1, 3}), 2 * attention.query.at({0, 3}), 1e-5);
  EXPECT_NEAR(attention.scores.at({1, 3}), 4 * attention.scores.at({0, 3}), 1e-4);
  EXPECT_EQ(attention.cards.size(), 9U);
  EXPECT_EQ(attention.cards.back(), "?");
}

TEST(Updates, OfModelsThatLearnedOrDidNot) {
  const TrainingResult fast{.losses = {}, .updates = 40, .never = false};
  const TrainingResult slow{.losses = {}, .updates = 120, .never = false};
  const TrainingResult never{.losses = {}, .updates = 300, .never = true};
  EXPECT_EQ(updates_text({&fast, &never, &slow}), "40 never 120");
  EXPECT_EQ(median_updates({&never, &fast, &slow}), 120);
  EXPECT_EQ(median_updates({&fast, &slow}), 120);
  const course::Spread times = times_as_many({&slow, &never}, {&fast, &slow});
  EXPECT_EQ(times.lowest, 2.5);
  EXPECT_EQ(times.highest, 3);
}

}  // namespace
}  // namespace gradwalk::lesson_06
