#include "nn/statistics/t_test.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/statistics/student_t.h"
#include "nn/statistics/summary.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

void check_two(const char* op, const char* which, const std::vector<double>& values) {
  if (values.size() < 2) {
    throw_argument_error(op, fmt::format("at least 2 values in {}", which),
                         fmt::format("{}", values.size()));
  }
}

// 0 where there is nothing to divide, also by 0.
double in_spreads(double difference, double spread) {
  return difference == 0 ? 0 : difference / spread;
}

TTest t_test(double t, double degrees_of_freedom) {
  return {t, degrees_of_freedom, student_t_p_value(t, degrees_of_freedom)};
}

double squared(double x) { return x * x; }

}  // namespace

TTest one_sample_t_test(const std::vector<double>& values, double mean) {
  check_two("one_sample_t_test", "values", values);
  const Summary summary = summarize(values);
  return t_test(in_spreads(summary.mean - mean, summary.standard_error),
                static_cast<double>(summary.count - 1));
}

TTest welch_t_test(const std::vector<double>& a, const std::vector<double>& b) {
  check_two("welch_t_test", "a", a);
  check_two("welch_t_test", "b", b);
  const Summary of_a = summarize(a);
  const Summary of_b = summarize(b);
  const auto free_a = static_cast<double>(of_a.count - 1);
  const auto free_b = static_cast<double>(of_b.count - 1);
  if (of_a.standard_error == 0 && of_b.standard_error == 0) {
    return t_test(in_spreads(of_a.mean - of_b.mean, 0), free_a + free_b);
  }
  const double larger = std::fmax(of_a.standard_error, of_b.standard_error);
  // Relative to the larger: fourth powers of small errors would underflow.
  const double error_a = squared(of_a.standard_error / larger);
  const double error_b = squared(of_b.standard_error / larger);
  return t_test(
      in_spreads(of_a.mean - of_b.mean, larger * std::sqrt(error_a + error_b)),
      squared(error_a + error_b) / (squared(error_a) / free_a + squared(error_b) / free_b));
}

double cohens_d(const std::vector<double>& a, const std::vector<double>& b) {
  check_two("cohens_d", "a", a);
  check_two("cohens_d", "b", b);
  const Summary of_a = summarize(a);
  const Summary of_b = summarize(b);
  const auto free_a = static_cast<double>(of_a.count - 1);
  const auto free_b = static_cast<double>(of_b.count - 1);
  const double pooled = std::sqrt(
      (free_a * squared(of_a.standard_deviation) + free_b * squared(of_b.standard_deviation)) /
      (free_a + free_b));
  return in_spreads(of_a.mean - of_b.mean, pooled);
}

}  // namespace gradwalk::nn
