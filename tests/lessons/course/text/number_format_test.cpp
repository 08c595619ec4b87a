#include "lessons/course/text/number_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace gradwalk::course {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(NumberScale, ShowsNoMoreDigitsThanNeeded) {
  EXPECT_EQ(scale_for({0.1, 0.3, 0.2}).format(0.3), "0.3");
  EXPECT_EQ(scale_for({1, 20, 300}).format(20), "20");
  EXPECT_EQ(scale_for({0.30061, 0.36717}).format(0.30061), "0.3006");
}

TEST(NumberScale, TakesAPowerOfTenOutOfSmallNumbers) {
  const NumberScale scale = scale_for({1.25e-8, -3e-9});
  EXPECT_EQ(scale.factor(), "x 1e-8");
  EXPECT_EQ(scale.format(1.25e-8), "1.25");
  EXPECT_EQ(scale.format(-3e-9), "-0.30");
}

TEST(NumberScale, NeverShowsMinusZero) {
  EXPECT_EQ(scale_for({0.5}, 4, 2).format(-0.0001), "0.00");
}

TEST(NumberScale, NamesNonfiniteNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  const NumberScale scale = scale_for({inf, 2, std::nan("")});
  EXPECT_EQ(scale.format(inf), "inf");
  EXPECT_EQ(scale.format(-inf), "-inf");
  EXPECT_EQ(scale.format(std::nan("")), "nan");
}

TEST(FormatNumber, UsesAnExponentForTheVerySmallAndLarge) {
  EXPECT_EQ(format_number(0.693147), "0.6931");
  EXPECT_EQ(format_number(1.13e-16), "1.1e-16");
  EXPECT_EQ(format_number(2.5e9), "2.5e+09");
  EXPECT_EQ(format_number(0.66, 1), "0.7");
  EXPECT_EQ(format_number(0), "0");
}

TEST(AlignPoints, PutsPointsIntoOneColumn) {
  EXPECT_THAT(align_points({"1.5", "-10", "0.25"}), ElementsAre("  1.5 ", "-10   ", "  0.25"));
}

TEST(NiceTicks, AreRoundAndInside) {
  EXPECT_THAT(nice_ticks(-0.67, 0.9, 4), ElementsAre(-0.5, 0, 0.5));
  EXPECT_THAT(nice_ticks(0, 50, 5), ElementsAre(0, 10, 20, 30, 40, 50));
  EXPECT_THAT(nice_ticks(3, 3, 4), ElementsAre(3));
}

}  // namespace
}  // namespace gradwalk::course
