#include "nn/statistics/summary.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/error.h"

namespace gradwalk::nn {

Summary summarize(const std::vector<double>& values) {
  if (values.empty()) throw_argument_error("summarize", "at least 1 value", "0");
  const auto n = static_cast<double>(values.size());
  const auto mean_from = [&](double origin) {
    return origin + std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double x) {
                      return sum + (x - origin);
                    }) / n;
  };
  // Taken twice, the mean of equal numbers is that number, so that they have no spread at all.
  const double mean = mean_from(mean_from(0));
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  const double deviation =
      values.size() == 1 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / (n - 1));
  return {static_cast<std::int64_t>(values.size()), mean, deviation, deviation / std::sqrt(n)};
}

}  // namespace gradwalk::nn
