#include "nn/statistics/student_t.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

// 1 + d_1 / (1 + d_2 / (1 + ...)), as the ratio of two sequences that is taken step by step.
double continued_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;  // stands for a 0 that would be divided by
  constexpr double kSettled = 4 * std::numeric_limits<double>::epsilon();  // steps stay that noisy
  const auto away_from_zero = [](double value) { return value == 0 ? kTiny : value; };
  double fraction = 1;
  double numerators = 1;
  double denominators = 0;
  double step = 0;
  const auto append = [&](double d) {
    denominators = 1 / away_from_zero(1 + d * denominators);
    numerators = away_from_zero(1 + d / numerators);
    step = numerators * denominators;
    fraction *= step;
  };
  append(-(a + b) * x / (a + 1));
  for (double m = 1; std::abs(step - 1) > kSettled; ++m) {
    append(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    append(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
  }
  return fraction;
}

// I_x(a, b) from the logarithms of x and of 1 - x, which the caller has without a difference.
double incomplete_beta(double a, double b, double log_x, double log_y) {
  const double log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  const double front = std::exp(a * log_x + b * log_y - log_beta) / a;
  return front == 0 ? 0 : front / continued_fraction(a, b, std::exp(log_x));
}

}  // namespace

double student_t_p_value(double t, double degrees_of_freedom) {
  if (std::isnan(t) || std::isnan(degrees_of_freedom)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (!(degrees_of_freedom > 0) || std::isinf(degrees_of_freedom)) {
    throw_argument_error("student_t_p_value", "degrees_of_freedom > 0 and finite",
                         fmt::format("{}", degrees_of_freedom));
  }
  if (t == 0) return 1;
  const double half = degrees_of_freedom / 2;
  const double ratio = t / std::sqrt(degrees_of_freedom);
  const double log_x = -std::log1p(ratio * ratio);
  const double log_y = -std::log1p(1 / ratio / ratio);
  // The fraction converges fast on this side only; the other side is 1 minus the mirror image.
  if (std::exp(log_x) < (half + 1) / (half + 2.5)) return incomplete_beta(half, 0.5, log_x, log_y);
  return 1 - incomplete_beta(0.5, half, log_y, log_x);
}

}  // namespace gradwalk::nn
