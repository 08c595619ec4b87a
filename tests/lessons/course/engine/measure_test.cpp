#include "lessons/course/engine/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tensor/create.h"

namespace gradwalk::course {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Largest, IsTheLargestSize) {
  EXPECT_EQ(largest(vector({1, -3, 2})), 3);
  EXPECT_EQ(largest(zeros({0})), 0);
}

TEST(Largest, ShowsANanWhereverItStands) {
  EXPECT_TRUE(std::isnan(largest(vector({kNan, 1, 2}))));
  EXPECT_TRUE(std::isnan(largest(vector({1, kNan, 2}))));
  EXPECT_TRUE(std::isnan(largest(vector({1, 2, kNan}))));
}

TEST(Distance, ComparesAcrossDtypes) {
  const Tensor wide = vector({1, 2.5}, DType::kFloat64);
  EXPECT_EQ(distance(vector({1, 2}), wide), 0.5);
  EXPECT_EQ(relative_distance(vector({1, 2}), wide), 0.2);
}

TEST(SpreadOf, GivesTheEndsAndTheMean) {
  const Spread spread = spread_of({2, -1, 5});
  EXPECT_EQ(spread.lowest, -1);
  EXPECT_EQ(spread.mean, 2);
  EXPECT_EQ(spread.highest, 5);
  EXPECT_TRUE(std::isnan(spread_of({1, kNan, 2}).lowest));
  EXPECT_TRUE(std::isnan(spread_of({1, kNan, 2}).highest));
  EXPECT_THROW(spread_of({}), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::course
