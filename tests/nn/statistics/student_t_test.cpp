#include "nn/statistics/student_t.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

// With one and two degrees of freedom the integral has a closed form.
TEST(StudentT, EqualsTheClosedFormsForOneAndTwoDegreesOfFreedom) {
  for (const double t : {1e-8, 1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 12.7, 1e3}) {
    const double one = 2 / std::numbers::pi * std::atan(1 / t);
    EXPECT_NEAR(student_t_p_value(t, 1) / one, 1, 1e-12) << t;
    // 1 - t / sqrt(2 + t^2), without its cancellation
    const double root = std::sqrt(2 + t * t);
    EXPECT_NEAR(student_t_p_value(t, 2) / (2 / (root * (root + t))), 1, 1e-12) << t;
    EXPECT_EQ(student_t_p_value(-t, 2), student_t_p_value(t, 2));
  }
}

// The 5 % points of printed tables: 12.706, 2.228, 1.984, and 1.960 of the normal distribution.
TEST(StudentT, FivePerCentPoints) {
  EXPECT_NEAR(student_t_p_value(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(student_t_p_value(2.228, 10), 0.05, 2e-5);
  EXPECT_NEAR(student_t_p_value(1.984, 100), 0.05, 3e-5);
  EXPECT_NEAR(student_t_p_value(1.959964, 1e6), 0.05, 1e-6);
}

// From mpmath 1.3, betainc with 30 digits.
TEST(StudentT, EqualsMpmath) {
  const auto near = [](double t, double df, double want) {
    EXPECT_NEAR(student_t_p_value(t, df) / want, 1, 1e-10) << t << ", " << df;
  };
  near(0.5, 2.5, 0.65769791986971469);
  near(-1.96, 1000, 0.050273184955748714);
  near(9.49, 35.7, 2.6847204046632891e-11);
  near(49, 9, 3.0793474234149692e-12);
  near(3.1, 1e5, 0.0019357437126225565);
  near(0.01, 1e5, 0.99202130731882316);
  near(1e-9, 5, 0.99999999924078662);
}

TEST(StudentT, AtTheEnds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_t_p_value(0, 3), 1);
  EXPECT_EQ(student_t_p_value(kInfinity, 3), 0);
  EXPECT_EQ(student_t_p_value(-1e300, 3), 0);
  EXPECT_TRUE(std::isnan(student_t_p_value(std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(student_t_p_value(1, std::nan(""))));
  EXPECT_THAT([] { student_t_p_value(1, 0); },
              ThrowsMessage<std::invalid_argument>(
                  "student_t_p_value: expected degrees_of_freedom > 0 and finite, got 0"));
  EXPECT_THROW(student_t_p_value(1, kInfinity), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
