#include "lessons/12_grouped_heads/loss_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/lesson.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Truth;
using testing::Each;

class LossPairsTest : public testing::Test {
 protected:
  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(LossPairsTest, HaveGapsInPerCentOfTheLossWithoutSharing) {
  const LossPairs found = loss_pairs(step_, /*kv_heads=*/2, /*pairs=*/2, /*updates=*/1);
  ASSERT_EQ(found.gaps.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(found.own[i], 3) << "nothing is learned yet: about ln 40 and more";
    EXPECT_NEAR(found.own[i] * (1 + found.gaps[i] / 100), found.shared[i], 1e-9);
    EXPECT_NE(found.gaps[i], 0);
  }
  EXPECT_NE(found.own[0], found.own[1]) << "each pair has a seed of its own";
  EXPECT_EQ(loss_pairs(step_, 1, 2, 1).own, found.own) << "the same models stand beside MQA";
}

TEST_F(LossPairsTest, AreNoneIfNobodyShares) {
  EXPECT_THAT(loss_pairs(step_, /*kv_heads=*/8, 2, 1).gaps, Each(0));
}

// Mean 2, deviation 1: t = 2 sqrt(n).
TEST(LossPairs, TellWhatTheirNumbersDecide) {
  EXPECT_EQ(is_above_zero({1, 2, 3}), Truth::kYes);
  EXPECT_EQ(is_above_zero({-1, -2, -3}), Truth::kNo);
  EXPECT_EQ(is_above_zero({0, 0, 0}), Truth::kNo) << "no difference at all";
  EXPECT_EQ(is_above_zero({-1, 3}), Truth::kUnclear) << "1 +-2 SE of 2";
  EXPECT_EQ(is_above_zero({1, -3}), Truth::kUnclear);
}

TEST(LossPairs, GrowMoreCertainOneByOne) {
  const std::vector<double> t = running_t({1, 3, 2}, 2);
  ASSERT_EQ(t.size(), 2U);
  EXPECT_NEAR(t[0], 2, 1e-12);  // 2 / (sqrt(2) / sqrt(2))
  EXPECT_EQ(running_t({1, 3, 2}, 3), std::vector<double>({t[1]}));
  EXPECT_NEAR(t[1], 2 * std::sqrt(3), 1e-12);  // 2 / (1 / sqrt(3))
}

}  // namespace
}  // namespace gradwalk::lesson_12
