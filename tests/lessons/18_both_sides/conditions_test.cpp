#include "lessons/18_both_sides/conditions.h"

#include <gtest/gtest.h>

#include "lessons/course/engine/lesson.h"

namespace gradwalk::lesson_18 {
namespace {

TEST(NoGapBelow, WidensAsTheRootOfTheModels) {
  EXPECT_DOUBLE_EQ(no_gap_below(10), 0.3);
  EXPECT_DOUBLE_EQ(no_gap_below(40), 0.15);
}

TEST(NearlyAll, WidensLikewise) {
  EXPECT_DOUBLE_EQ(nearly_all(10), 0.95);
  EXPECT_DOUBLE_EQ(nearly_all(40), 0.975);
}

TEST(ShareOfHeads, CountsWhatIsAboveItsBound) {
  std::vector<tasks::Alignment> heads(4);
  const double gaps[] = {0.1, 0.3, 0.5, 0.2}, rhos[] = {0.8, 0.6, 0.9, 0.71};
  for (std::size_t i = 0; i < 4; ++i) {
    heads[i].match.of_cosines.gap = gaps[i];
    heads[i].rho = rhos[i];
  }
  const HeadShares found = head_shares(heads);
  EXPECT_EQ(found.with_gap, 0.5);
  EXPECT_EQ(found.with_order, 0.75);
}

class BrokenConditions : public testing::Test {
 protected:
  Without with(const std::string& name, Without what) const {
    course::Settings settings;
    if (!name.empty()) settings.breaks = {name};
    course::StepRecord record;
    course::Step step(lesson_, settings, &record);
    return broken_or(step, what);
  }

  const course::Lesson lesson_ = [] {
    course::Lesson lesson(18, "both_sides", "A lesson");
    for (const char* name : {"numbers-asked", "own-keys", "even-instead"}) {
      lesson.sabotage(name, "a break");
    }
    return lesson;
  }();
};

TEST_F(BrokenConditions, StandWithoutBreak) {
  for (const Without what : {Without::kQuestion, Without::kOwnKeys, Without::kCompetition}) {
    EXPECT_EQ(with("", what), what);
  }
}

TEST_F(BrokenConditions, AreBrokenOneByOne) {
  EXPECT_EQ(with("numbers-asked", Without::kQuestion), Without::kNothing);
  EXPECT_EQ(with("numbers-asked", Without::kNumbers), Without::kNothing);
  EXPECT_EQ(with("numbers-asked", Without::kOwnKeys), Without::kOwnKeys);
  EXPECT_EQ(with("own-keys", Without::kOwnKeys), Without::kNothing);
  EXPECT_EQ(with("own-keys", Without::kCompetition), Without::kCompetition);
  EXPECT_EQ(with("even-instead", Without::kCompetition), Without::kScores);
  EXPECT_EQ(with("even-instead", Without::kPositiveness), Without::kPositiveness);
}

}  // namespace
}  // namespace gradwalk::lesson_18
