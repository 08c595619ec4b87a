#include "lessons/18_both_sides/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gradwalk::lesson_18 {
namespace {

TEST(TrainingWithout, DiffersInOneThing) {
  const tasks::NumberTraining whole = training_without(Without::kNothing, 7);
  EXPECT_EQ(whole, tasks::NumberTraining{.updates = 7});
  tasks::NumberTraining expected = whole;
  expected.model.one_key = 16;
  EXPECT_EQ(training_without(Without::kOwnKeys, 7), expected);
  expected = whole;
  expected.task.question = tasks::NumberQuestion::kNothing;
  EXPECT_EQ(training_without(Without::kQuestion, 7), expected);
  expected.task.question = tasks::NumberQuestion::kNounMax;
  EXPECT_EQ(training_without(Without::kNumbers, 7), expected);
  expected = whole;
  expected.model.weighting = tasks::Weighting::kSigmoid;
  EXPECT_EQ(training_without(Without::kCompetition, 7), expected);
  expected.model.weighting = tasks::Weighting::kLinear;
  EXPECT_EQ(training_without(Without::kPositiveness, 7), expected);
  expected.model.weighting = tasks::Weighting::kUniform;
  EXPECT_EQ(training_without(Without::kScores, 7), expected);
}

TEST(AllMovers, AreEightChoicesOfThree) {
  std::set<std::string> names;
  for (const Movers& movers : all_movers()) names.insert(name(movers));
  EXPECT_THAT(names, testing::UnorderedElementsAre("e W_Q W_K", "e W_Q", "e W_K", "e", "W_Q W_K",
                                                   "W_Q", "W_K", "none"));
}

}  // namespace
}  // namespace gradwalk::lesson_18
