#include "lessons/21_interventions/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace gradwalk::lesson_21 {
namespace {

using testing::ElementsAre;

TEST(Arrival, CountsUpdatesUntilTheMeanOfFiveIsThere) {
  Arrival arrival;
  arrival.add({0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, 0.6);  // 3/5 after the seventh
  EXPECT_THAT(arrival.updates, ElementsAre(7));
  EXPECT_EQ(arrival.never, 0);
}

TEST(Arrival, CountsOneThatNeverArrivesWithAllItsUpdates) {
  Arrival arrival;
  arrival.add({1, 1, 1, 1, 1, 1}, 1);
  arrival.add({0, 0, 0, 0, 0, 0}, 1);
  EXPECT_THAT(arrival.updates, ElementsAre(5, 6));
  EXPECT_EQ(arrival.never, 1);
  EXPECT_DOUBLE_EQ(arrival.mean(), 5.5);
}

TEST(Arrivals, LookAtWeightOrderAndAnswersEachAtItsOwnTarget) {
  Arrivals arrivals;
  const std::vector<double> rises = {0.1, 0.7, 0.7, 0.7, 0.7, 0.7, 0.9, 0.9,
                                     0.9, 0.9, 0.9, 1,   1,   1,   1,   1};
  arrivals.add({.loss = {},
                .accuracy = rises,
                .on_answer = rises,
                .gradient = {},
                .turn = {},
                .gap = {},
                .rho = rises});
  EXPECT_THAT(arrivals.on_answer.updates, ElementsAre(6));
  EXPECT_THAT(arrivals.order.updates, ElementsAre(11));
  EXPECT_THAT(arrivals.right.updates, ElementsAre(14));  // (0.9 + 0.9 + 3) / 5 = 0.96
}

// Logarithms 0 and 2 ln 2 against ln 2 and 3 ln 2: t = -1 / sqrt(2) with 2 degrees of freedom.
TEST(Speedup, IsARatioAndComparesLogarithms) {
  const Speedup found = speedup({.updates = {1, 4}}, {.updates = {2, 8}});
  EXPECT_DOUBLE_EQ(found.ratio, 0.5);
  EXPECT_NEAR(found.p, 1 - std::sqrt(0.5) / std::sqrt(2.5), 1e-9);
  EXPECT_TRUE(found.all);
  EXPECT_FALSE(found.holds());  // two of each may be chance
}

TEST(Speedup, HoldsIfFasterAndNotByChance) {
  const Arrival slow{.updates = {98, 99, 100, 101, 102}};
  EXPECT_TRUE(speedup({.updates = {48, 49, 50, 51, 52}}, slow).holds());
  EXPECT_FALSE(speedup({.updates = {88, 89, 90, 91, 92}}, slow).holds());  // 10 % are too few
  EXPECT_FALSE(speedup(slow, slow).holds());
  EXPECT_FALSE(speedup({.updates = {48, 49, 50, 51, 52}, .never = 1}, slow).holds());
}

TEST(Speedup, NeedsTwoOfEach) {
  EXPECT_THROW(speedup({.updates = {1}}, {.updates = {1, 2}}), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::lesson_21
