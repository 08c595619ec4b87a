#include "lessons/17_alignment/phases.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gradwalk::lesson_17 {
namespace {

// A loss of 1 falls to `second` at update 20 and to `third` at 40; 60 updates.
tasks::NumberCurves curves_of(double second, double third) {
  tasks::NumberCurves curves;
  for (int i = 0; i < 60; ++i) {
    const int stretch = i / 20;
    curves.loss.push_back(stretch == 0 ? 1 : stretch == 1 ? second : third);
    curves.gradient.push_back(1 + stretch);
    curves.turn.push_back(i);
    curves.on_answer.push_back(i % 20);
    curves.gap.push_back(-i);
  }
  return curves;
}

// The mean of 5 losses is 0.9 after one loss of 0.5, 0.08 after 5 of that.
TEST(Phases, AreCutWhereTheLossFalls) {
  const Phases phases = phases_of(curves_of(0.45, 0.08));
  EXPECT_EQ(phases.early.begin, 0);
  EXPECT_EQ(phases.early.end, 21);
  EXPECT_EQ(phases.middle.begin, 21);
  EXPECT_EQ(phases.middle.end, 45);
  EXPECT_EQ(phases.late.begin, 45);
  EXPECT_EQ(phases.late.end, 60);
}

TEST(Phases, HoldMeansAndWhatIsThereAtTheEnd) {
  const Phase early = phases_of(curves_of(0.45, 0.08)).early;
  EXPECT_DOUBLE_EQ(early.gradient, 22.0 / 21);
  EXPECT_DOUBLE_EQ(early.turn, 10);
  EXPECT_DOUBLE_EQ(early.on_answer, (16 + 17 + 18 + 19 + 0) / 5.0);
  EXPECT_DOUBLE_EQ(early.gap, -18);
}

TEST(Phases, AreEmptyWhereTheLossStays) {
  const Phases phases = phases_of(curves_of(0.95, 0.5));
  EXPECT_EQ(phases.middle.end, 60);
  EXPECT_EQ(phases.late.begin, phases.late.end);
  EXPECT_TRUE(std::isnan(phases.late.turn));
}

TEST(MeanPhases, AreOfTrainingsThatHaveThem) {
  const std::vector<Phases> all = {phases_of(curves_of(0.45, 0.08)),
                                   phases_of(curves_of(0.95, 0.5))};
  const MeanPhase late = mean_phase(all, &Phases::late);
  EXPECT_EQ(late.trainings, 1);
  EXPECT_EQ(late.phase.begin, 45);
  EXPECT_EQ(late.phase.gradient, 3);
  const MeanPhase early = mean_phase(all, &Phases::early);
  EXPECT_EQ(early.trainings, 2);
  EXPECT_EQ(early.phase.end, static_cast<int>(std::lround((21 + all[1].early.end) / 2.0)));
  const MeanPhase none = mean_phase({all[1]}, &Phases::late);
  EXPECT_EQ(none.trainings, 0);
  EXPECT_TRUE(std::isnan(none.phase.gap));
}

}  // namespace
}  // namespace gradwalk::lesson_17
