#include "nn/statistics/t_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Hours of sleep that two drugs gave to ten patients: Student 1908, in R as `sleep`.
const std::vector<double> kDrug1 = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kDrug2 = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

// R: t.test(extra ~ group, sleep) prints t = -1.8608, df = 17.776, p-value = 0.07939.
TEST(WelchTTest, OfStudentsSleepData) {
  const TTest test = welch_t_test(kDrug1, kDrug2);
  EXPECT_NEAR(test.t, -1.860813467486853, 1e-12);
  EXPECT_NEAR(test.degrees_of_freedom, 17.77647351617849, 1e-11);
  EXPECT_NEAR(test.p, 0.07939414018735814, 1e-12);
}

// Groups of unequal size and variance, from the examples of Wikipedia's "Welch's t-test":
// t = -1.57, df = 9.9, p = 0.149.
TEST(WelchTTest, OfGroupsOfUnequalSize) {
  const TTest test = welch_t_test({17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8},
                                  {21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8,
                                   20.7, 21.7, 21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8});
  EXPECT_NEAR(test.t, -1.565433523598505, 1e-12);
  EXPECT_NEAR(test.degrees_of_freedom, 9.904741248650829, 1e-11);
  EXPECT_NEAR(test.p, 0.148841696605328, 1e-12);
}

// By hand: means 2 and 5, variances 1 and 7, so t = -3 / sqrt(8 / 3), df = 64 / 25.
TEST(WelchTTest, ByHand) {
  const TTest test = welch_t_test({1, 2, 3}, {3, 4, 8});
  EXPECT_NEAR(test.t, -3 / std::sqrt(8 / 3.0), 1e-14);
  EXPECT_NEAR(test.degrees_of_freedom, 2.56, 1e-13);
  EXPECT_NEAR(test.p, 0.1790967923771067, 1e-12);
}

TEST(WelchTTest, DoesNotDependOnTheUnit) {
  const TTest test = welch_t_test({1, 2, 3}, {3, 4, 8});
  for (const double unit : {1e-120, 1e120}) {
    const TTest scaled = welch_t_test({unit, 2 * unit, 3 * unit}, {3 * unit, 4 * unit, 8 * unit});
    EXPECT_NEAR(scaled.t, test.t, 1e-13);
    EXPECT_NEAR(scaled.degrees_of_freedom, test.degrees_of_freedom, 1e-13);
  }
}

TEST(WelchTTest, OfConstantGroups) {
  const TTest same = welch_t_test({0.1, 0.1, 0.1}, {0.1, 0.1});
  EXPECT_EQ(same.t, 0);
  EXPECT_EQ(same.degrees_of_freedom, 3);
  EXPECT_EQ(same.p, 1);
  const TTest other = welch_t_test({1, 1}, {2, 2, 2});
  EXPECT_EQ(other.t, -kInfinity);
  EXPECT_EQ(other.p, 0);
  // One constant group is a test against a number.
  EXPECT_EQ(welch_t_test({1, 2, 3}, {1, 1}).degrees_of_freedom, 2);
}

TEST(WelchTTest, NanStaysVisible) {
  const TTest test = welch_t_test({1, std::nan("")}, {2, 2});
  EXPECT_TRUE(std::isnan(test.t));
  EXPECT_TRUE(std::isnan(test.degrees_of_freedom));
  EXPECT_TRUE(std::isnan(test.p));
}

// R: t.test(extra[group == 1], extra[group == 2], paired = TRUE) prints t = -4.0621, df = 9,
// p-value = 0.002833.
TEST(OneSampleTTest, OfDifferencesIsThePairedTest) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < kDrug1.size(); ++i) differences.push_back(kDrug1[i] - kDrug2[i]);
  const TTest test = one_sample_t_test(differences);
  EXPECT_NEAR(test.t, -4.062127683382036, 1e-12);
  EXPECT_EQ(test.degrees_of_freedom, 9);
  EXPECT_NEAR(test.p, 0.002832890197384273, 1e-12);
}

TEST(OneSampleTTest, AgainstAnotherMean) {
  // Mean 3, standard error 1 / sqrt(3).
  EXPECT_NEAR(one_sample_t_test({2, 3, 4}, 2).t, std::sqrt(3.0), 1e-15);
  EXPECT_EQ(one_sample_t_test({2, 3, 4}, 3).p, 1);
  EXPECT_EQ(one_sample_t_test({0.1, 0.1, 0.1}, 0.1).p, 1);
  EXPECT_EQ(one_sample_t_test({0.1, 0.1, 0.1}, 0.2).t, -kInfinity);
}

// By hand: the pooled variance is (2 * 1 + 2 * 7) / 4 = 4.
TEST(CohensD, ByHand) {
  EXPECT_NEAR(cohens_d({1, 2, 3}, {3, 4, 8}), -1.5, 1e-15);
  EXPECT_NEAR(cohens_d({3, 4, 8}, {1, 2, 3}), 1.5, 1e-15);
  // Weighted by degrees of freedom: (3 * 4 + 1 * 2) / 4 = 3.5 for variances 4 and 2.
  const double root3 = std::sqrt(3.0);
  EXPECT_NEAR(cohens_d({-root3, -root3, root3, root3}, {4, 6}), -5 / std::sqrt(3.5), 1e-14);
}

TEST(CohensD, OfConstantGroupsAndNan) {
  EXPECT_EQ(cohens_d({0.1, 0.1, 0.1}, {0.1, 0.1}), 0);
  EXPECT_EQ(cohens_d({1, 1}, {0, 0}), kInfinity);
  EXPECT_TRUE(std::isnan(cohens_d({1, std::nan("")}, {0, 1})));
}

TEST(TTestError, NamesTheFunctionAndTheGroup) {
  EXPECT_THAT(
      [] {
        welch_t_test({1}, {1, 2});
      },
      ThrowsMessage<std::invalid_argument>("welch_t_test: expected at least 2 values in a, got 1"));
  EXPECT_THAT(
      [] {
        cohens_d({1, 2}, {});
      },
      ThrowsMessage<std::invalid_argument>("cohens_d: expected at least 2 values in b, got 0"));
  EXPECT_THAT([] { one_sample_t_test({1}); },
              ThrowsMessage<std::invalid_argument>(
                  "one_sample_t_test: expected at least 2 values in values, got 1"));
}

}  // namespace
}  // namespace gradwalk::nn
