#include "tensor/reference/moments.h"

#include <cmath>
#include <limits>

#include "tensor/reference/slices.h"

namespace gradwalk::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double mean(const std::vector<double>& slice) {
  double mean = 0;
  for (const double value : slice) mean += value / static_cast<double>(slice.size());
  return mean;
}

double norm(const std::vector<double>& slice) {
  double length = 0;
  for (const double value : slice) {
    // hypot(inf, NaN) is inf; here a NaN stays visible.
    length = std::isnan(value) || std::isnan(length) ? kNan : std::hypot(length, value);
  }
  return length;
}

double divisor(const std::vector<double>& slice, std::int64_t correction) {
  const double left = static_cast<double>(slice.size()) - static_cast<double>(correction);
  return left > 0 ? left : kNan;
}

}  // namespace

Tensor var(const Tensor& x, const std::vector<int>& axes, std::int64_t correction) {
  return fold_slices(x, axes, [&](const std::vector<double>& slice) {
    const double m = mean(slice);
    double total = 0;
    for (const double value : slice) total += (value - m) * (value - m);
    return total / divisor(slice, correction);
  });
}

Tensor var_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes,
                    std::int64_t correction) {
  return map_slices(x, dy, axes, [&](std::vector<double>& slice, double upstream) {
    const double m = mean(slice);
    for (double& value : slice) value = upstream * 2 / divisor(slice, correction) * (value - m);
  });
}

Tensor norm(const Tensor& x, const std::vector<int>& axes) {
  return fold_slices(x, axes, [](const std::vector<double>& slice) { return norm(slice); });
}

Tensor norm_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes) {
  return map_slices(x, dy, axes, [](std::vector<double>& slice, double upstream) {
    const double length = norm(slice);
    for (double& value : slice) value = length == 0 ? 0 : upstream * (value / length);
  });
}

}  // namespace gradwalk::reference
