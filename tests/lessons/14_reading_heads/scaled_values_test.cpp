#include "lessons/14_reading_heads/scaled_values.h"

#include <gtest/gtest.h>

#include "lessons/course/engine/measure.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

ScaledValues layer(double factor, bool undone = false) {
  return scaled_values(nn::Seed(3), Generator(3, "tokens"), factor, undone);
}

TEST(ScaledValues, HasTheShareThatItsEnergyGivesIt) {
  const double s = layer(1).share.at({0}), at_10 = layer(10).share.at({0});
  EXPECT_NEAR(at_10, 100 * s / (99 * s + 1), 1e-6);
  EXPECT_NEAR(sum(layer(10).share).item(), 1, 1e-6);
  EXPECT_NEAR(layer(10).value_ratio / layer(1).value_ratio, 10, 1e-4);
  EXPECT_LT(layer(1000).kept, layer(1).kept);
}

TEST(ScaledValues, IsNotHeardWhereItIsUndone) {
  EXPECT_LT(course::relative_distance(layer(1000, true).output, layer(1).output), 1e-5);
  EXPECT_GT(layer(1000, true).value_ratio, 100);
}

}  // namespace
}  // namespace gradwalk::lesson_14
