#include "nn/optim/schedule.h"

#include <gtest/gtest.h>

namespace gradwalk::nn {
namespace {

TEST(CosineSchedule, RisesAndFalls) {
  const CosineSchedule schedule{.lr = 1, .min_lr = 0.2, .warmup = 4, .steps = 12};
  EXPECT_DOUBLE_EQ(schedule.at(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule.at(3), 1);
  EXPECT_DOUBLE_EQ(schedule.at(4), 1);
  EXPECT_NEAR(schedule.at(8), 0.6, 1e-15);  // half way down
  EXPECT_NEAR(schedule.at(12), 0.2, 1e-15);
  EXPECT_NEAR(schedule.at(1000), 0.2, 1e-15);
  for (int step = 4; step < 12; ++step) EXPECT_GT(schedule.at(step), schedule.at(step + 1));
}

TEST(CosineSchedule, WithoutRiseOrFall) {
  EXPECT_DOUBLE_EQ((CosineSchedule{.lr = 3, .steps = 10}.at(0)), 3);
  EXPECT_DOUBLE_EQ((CosineSchedule{.lr = 3, .min_lr = 3, .steps = 10}.at(7)), 3);
  EXPECT_DOUBLE_EQ((CosineSchedule{.lr = 3, .min_lr = 1, .warmup = 2, .steps = 2}.at(2)), 1);
}

}  // namespace
}  // namespace gradwalk::nn
