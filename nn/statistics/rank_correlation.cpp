#include "nn/statistics/rank_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/error.h"

namespace gradwalk::nn {

std::vector<double> average_ranks(const std::vector<double>& values) {
  const bool has_nan =
      std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
  std::vector<double> ranks(values.size(), std::numeric_limits<double>::quiet_NaN());
  if (has_nan) return ranks;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      ranks[order[i]] = static_cast<double>(first + last) / 2 + 1;
    }
    first = last + 1;
  }
  return ranks;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.size() < 2) {
    throw_argument_error("spearman", "a and b of one length, at least 2",
                         fmt::format("{} and {}", a.size(), b.size()));
  }
  const std::vector<double> ranks_a = average_ranks(a);
  const std::vector<double> ranks_b = average_ranks(b);
  const double middle = static_cast<double>(a.size() + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double da = ranks_a[i] - middle;
    const double db = ranks_b[i] - middle;
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab == 0 ? 0 : std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

}  // namespace gradwalk::nn
