#include "lessons/18_both_sides/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/course/engine/measure.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_18 {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(BalanceWalk, DriftsByTheSquareOfTheRateInOneStep) {
  const double lr = 0.25;
  const tasks::ToyState start = tasks::toy_state(tasks::toy_base());
  const auto square = [](const Tensor& w) { return matmul(w, transpose(w)); };
  const BalanceWalk walk = balance_walk(start.toy, {.w_q = true, .w_k = true}, lr, /*time=*/lr);
  ASSERT_EQ(walk.drift.size(), 2U);
  EXPECT_EQ(walk.drift[0], 0);
  EXPECT_NEAR(walk.drift[1], lr * lr * course::distance(square(start.dw_q), square(start.dw_k)),
              1e-14);
  EXPECT_GT(walk.query_changed[1], 5 * walk.drift[1]);
}

TEST(BalanceWalk, IsAllOnOneSideWhereTheOtherIsHeld) {
  const BalanceWalk walk = balance_walk(tasks::toy_base(), {.w_q = true}, 0.5, /*time=*/2);
  EXPECT_THAT(walk.key_changed, Each(0));
  EXPECT_EQ(walk.drift, walk.query_changed);
}

// Computed outside of this project for the same toy.
TEST(ThreeRates, DriftAsComputedElsewhere) {
  const std::vector<BalanceWalk> walks = three_rates(/*keys_held=*/false);
  ASSERT_EQ(walks.size(), 3U);
  EXPECT_NEAR(walks[0].drift.back(), 0.0976, 5e-5);
  EXPECT_NEAR(walks[1].drift.back(), 0.00819, 5e-6);
  EXPECT_NEAR(walks[2].drift.back(), 0.000806, 5e-7);
  EXPECT_NEAR(walks[2].query_changed.back(), 1.30, 5e-3);
  EXPECT_TRUE(drift_follows_rate(walks));
  EXPECT_FALSE(drift_follows_rate(three_rates(/*keys_held=*/true)));
}

TEST(DriftRatios, AreOfNeighbouringRates) {
  const auto with_drift = [](double last) {
    return BalanceWalk{.lr = 1, .query_changed = {}, .key_changed = {}, .drift = {0, last}};
  };
  EXPECT_THAT(drift_ratios({with_drift(3), with_drift(1.5), with_drift(0.5)}), ElementsAre(2, 3));
  EXPECT_TRUE(drift_follows_rate({with_drift(8), with_drift(1)}));
  EXPECT_FALSE(drift_follows_rate({with_drift(7.9), with_drift(1)}));
  EXPECT_FALSE(drift_follows_rate({with_drift(100), with_drift(10), with_drift(0.7)}));
}

}  // namespace
}  // namespace gradwalk::lesson_18
