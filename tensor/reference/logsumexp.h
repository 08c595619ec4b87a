#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tensor/reference/slices.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

struct ExpParts {
  double largest = -kInfinity;
  bool any_nan = false;
  double total = 0;  // of exp(x - largest)
};

inline ExpParts exp_parts(const std::vector<double>& slice) {
  ExpParts p;
  for (const double value : slice) {
    if (value > p.largest) p.largest = value;
    if (std::isnan(value)) p.any_nan = true;
  }
  for (const double value : slice) p.total += std::exp(value - p.largest);
  return p;
}

}  // namespace detail

/// Over `axes`, each in [0, ndim); the reduced axes are kept with size 1.

/// log sum exp(x), shifted by the largest element; -inf where there is none or all are -inf.
inline Tensor logsumexp(const Tensor& x, const std::vector<int>& axes) {
  return fold_slices(x, axes, [](const std::vector<double>& slice) {
    const detail::ExpParts p = detail::exp_parts(slice);
    if (p.any_nan) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(p.largest)) return p.largest;
    return std::log(p.total) + p.largest;
  });
}

/// dx = dy exp(x) / sum exp(x). dy has the reduced axes with size 1.
inline Tensor logsumexp_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes) {
  return map_slices(x, dy, axes, [](std::vector<double>& slice, double upstream) {
    const detail::ExpParts p = detail::exp_parts(slice);
    const bool all_masked = p.largest == -detail::kInfinity && !p.any_nan;
    for (double& value : slice) {
      value = all_masked ? 0 : upstream * std::exp(value - p.largest) / p.total;
    }
  });
}

}  // namespace gradwalk::reference
