#pragma once

#include <cmath>
#include <vector>

#include "tensor/reference/slices.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

inline double slice_mean(const std::vector<double>& slice) {
  double mean = 0;
  for (const double value : slice) mean += value / static_cast<double>(slice.size());
  return mean;
}

inline double slice_norm(const std::vector<double>& slice) {
  double length = 0;
  for (const double value : slice) {
    // hypot(inf, NaN) is inf; here a NaN stays visible.
    length = std::isnan(value) || std::isnan(length) ? kNan : std::hypot(length, value);
  }
  return length;
}

inline double var_divisor(const std::vector<double>& slice, std::int64_t correction) {
  const double left = static_cast<double>(slice.size()) - static_cast<double>(correction);
  return left > 0 ? left : kNan;
}

}  // namespace detail

/// Over `axes`, each in [0, ndim); the reduced axes are kept with size 1.

/// sum (x - mean)^2 / (N - correction); NaN where N <= correction.
inline Tensor var(const Tensor& x, const std::vector<int>& axes, std::int64_t correction) {
  return fold_slices(x, axes, [&](const std::vector<double>& slice) {
    const double m = detail::slice_mean(slice);
    double total = 0;
    for (const double value : slice) total += (value - m) * (value - m);
    return total / detail::var_divisor(slice, correction);
  });
}

/// dx = dy 2 (x - mean) / (N - correction). dy has the reduced axes with size 1.
inline Tensor var_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes,
                           std::int64_t correction) {
  return map_slices(x, dy, axes, [&](std::vector<double>& slice, double upstream) {
    const double m = detail::slice_mean(slice);
    for (double& value : slice)
      value = upstream * 2 / detail::var_divisor(slice, correction) * (value - m);
  });
}

/// sqrt(sum x^2), as a chain of hypotenuses.
inline Tensor norm(const Tensor& x, const std::vector<int>& axes) {
  return fold_slices(x, axes,
                     [](const std::vector<double>& slice) { return detail::slice_norm(slice); });
}

/// dx = dy x / norm, 0 where the norm is 0. dy has the reduced axes with size 1.
inline Tensor norm_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes) {
  return map_slices(x, dy, axes, [](std::vector<double>& slice, double upstream) {
    const double length = detail::slice_norm(slice);
    for (double& value : slice) value = length == 0 ? 0 : upstream * (value / length);
  });
}

}  // namespace gradwalk::reference
