#include "lessons/18_both_sides/model_change.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/18_both_sides/models.h"
#include "lessons/course/engine/lesson.h"
#include "tensor/create.h"

namespace gradwalk::lesson_18 {
namespace {

class ModelChangeTest : public testing::Test {
 protected:
  const ModelChange& model(const tasks::NumberTraining& training) const {
    return *model_changes(step_, training, 1)[0];
  }

  const course::Lesson lesson_{18, "both_sides", "A lesson"};
  const course::Settings settings_{.seed = 3};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(ModelChangeTest, AreAlikeWithoutUpdates) {
  const ModelChange& same = model(training_without(Without::kNothing, 0));
  EXPECT_EQ(same.table_moved, 0);
  EXPECT_EQ(same.query_moved, 0);
  EXPECT_EQ(same.key_moved, 0);
  EXPECT_NEAR(same.turned, 0, 1e-5);
  EXPECT_TRUE(std::isnan(same.unbalanced));
  for (const auto& row : same.gaps) {
    for (const double one : row) EXPECT_EQ(one, same.gaps[0][0]);
  }
  EXPECT_EQ(same.salience.length, same.salience_before.length);
}

TEST_F(ModelChangeTest, PairOldAndNewSides) {
  const ModelChange& moved = model(training_without(Without::kNothing, 3));
  EXPECT_EQ(moved.gaps[0][0], moved.heads_before[0].gap());
  EXPECT_EQ(moved.gaps[1][1], moved.heads[0].gap());
  EXPECT_NE(moved.gaps[0][1], moved.gaps[1][0]);
  EXPECT_GT(moved.table_moved, 0);
  EXPECT_GT(moved.turned, 0);
  EXPECT_EQ(moved.curves->loss.size(), 3U);
  EXPECT_EQ(&moved, &model(training_without(Without::kNothing, 3)));
  const auto heads = head_before_and_after(step_, training_without(Without::kNothing, 3));
  EXPECT_EQ(tasks::alignment(heads[1].query, heads[0].keys, {}).gap(), moved.gaps[1][0]);
}

TEST_F(ModelChangeTest, MoveInWhatIsNotHeld) {
  const ModelChange& held = model(training_of({.table = false, .query = true, .key = false}, 3));
  EXPECT_EQ(held.table_moved, 0);
  EXPECT_GT(held.query_moved, 0);
  EXPECT_EQ(held.key_moved, 0);
  EXPECT_EQ(held.gaps[0][1], held.gaps[0][0]);
  EXPECT_EQ(held.gaps[1][0], held.gaps[1][1]);
  EXPECT_DOUBLE_EQ(held.unbalanced, 1);
}

TEST_F(ModelChangeTest, HaveAllTheirHeads) {
  const auto models = model_changes(step_, training_with_heads(4, 2), 2);
  EXPECT_EQ(all_heads(models).size(), 8U);
  EXPECT_EQ(all_heads(models, &ModelChange::heads_before)[5].gap(),
            models[1]->heads_before[1].gap());
}

TEST(SalienceOf, IsInTheOrderOfWorth) {
  // Distances from the mean 3.75: 2.75, 1.75, 0.25, 4.25; from the nearest: 1, 1, 2, 4.
  const KeySalience found = salience_of(matrix({{1, 0}, {2, 0}, {4, 0}, {8, 0}}, DType::kFloat64));
  EXPECT_NEAR(found.from_mean, 0.2, 1e-12);
  EXPECT_NEAR(found.nearest, 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_NEAR(found.length, 1, 1e-12);
}

TEST(NumbersOnLine, DoesNotAskForTheSign) {
  std::vector<double> cosines(33, 0.25);
  for (std::size_t id = 1; id <= 16; ++id) cosines[id] = id % 2 == 0 ? 0.5 : -0.5;
  ModelChange model{};
  model.heads.push_back({});
  model.heads[0].match.cosines = from_vector(cosines, {33}, DType::kFloat64);
  EXPECT_DOUBLE_EQ(numbers_on_line(model), 0.5);
  EXPECT_DOUBLE_EQ(nouns_on_line(model), 0.25);
}

}  // namespace
}  // namespace gradwalk::lesson_18
