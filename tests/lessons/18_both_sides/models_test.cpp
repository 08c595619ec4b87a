#include "lessons/18_both_sides/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gradwalk::lessons {
namespace {

TEST(TrainingWithout, DiffersInOneThing) {
  const course::NumberTraining whole = training_without(Without::kNothing, 7);
  EXPECT_EQ(whole, course::NumberTraining{.updates = 7});
  course::NumberTraining expected = whole;
  expected.model.one_key = 16;
  EXPECT_EQ(training_without(Without::kOwnKeys, 7), expected);
  expected = whole;
  expected.task.question = course::NumberQuestion::kNothing;
  EXPECT_EQ(training_without(Without::kQuestion, 7), expected);
  expected.task.question = course::NumberQuestion::kNounMax;
  EXPECT_EQ(training_without(Without::kNumbers, 7), expected);
  expected = whole;
  expected.model.weighting = course::Weighting::kSigmoid;
  EXPECT_EQ(training_without(Without::kCompetition, 7), expected);
  expected.model.weighting = course::Weighting::kLinear;
  EXPECT_EQ(training_without(Without::kPositiveness, 7), expected);
  expected.model.weighting = course::Weighting::kUniform;
  EXPECT_EQ(training_without(Without::kScores, 7), expected);
}

TEST(AllMovers, AreEightChoicesOfThree) {
  std::set<std::string> names;
  for (const Movers& movers : all_movers()) names.insert(name(movers));
  EXPECT_THAT(names, testing::UnorderedElementsAre("e W_Q W_K", "e W_Q", "e W_K", "e", "W_Q W_K",
                                                   "W_Q", "W_K", "none"));
}

}  // namespace
}  // namespace gradwalk::lessons
