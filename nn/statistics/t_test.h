#pragma once

#include <vector>

namespace gradwalk::nn {

struct TTest {
  double t;
  double degrees_of_freedom;
  double p;  ///< two-sided
};

/// Whether the mean of these numbers is `mean`; of the differences of pairs, the paired test.
///
///   t = (m - mean) / (s / sqrt(n)),   df = n - 1
///
/// @note  Without any spread t is 0 (p 1) where m equals mean, else an infinity (p 0).
/// @throws std::invalid_argument for fewer than two values
/// Source  Student 1908, "The probable error of a mean"
TTest one_sample_t_test(const std::vector<double>& values, double mean = 0);

/// Whether two groups have one mean, whatever their variances.
///
///   t = (m_a - m_b) / sqrt(e_a + e_b),   e = s^2 / n,
///   df = (e_a + e_b)^2 / (e_a^2 / (n_a - 1) + e_b^2 / (n_b - 1))
///
/// @note  Without any spread t is 0 (p 1) where the means are equal, else an infinity (p 0), and df
///        is n_a + n_b - 2.
/// @throws std::invalid_argument for fewer than two values in a or b
/// Source  Welch 1947, "The generalization of Student's problem"; Satterthwaite 1946 (df)
TTest welch_t_test(const std::vector<double>& a, const std::vector<double>& b);

/// How many standard deviations lie between the means of two groups.
///
///   d = (m_a - m_b) / s,   s^2 = ((n_a - 1) s_a^2 + (n_b - 1) s_b^2) / (n_a + n_b - 2)
///
/// @return  no unit; without any spread 0 where the means are equal, else an infinity
/// @throws std::invalid_argument for fewer than two values in a or b
/// Source  Cohen 1988, "Statistical power analysis", section 2.2 (s: 2.5.2)
double cohens_d(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace gradwalk::nn
