#pragma once

#include "tensor/reference/slices.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

/// y_i = the sum of those x_j of its slice for which takes(i, j).
template <class Takes>
Tensor sums_along(const Tensor& x, int axis, Takes takes) {
  const std::vector<double> elements = values(x);
  std::vector<double> y(elements.size());
  for (const auto& places : slices(x.shape(), {axis})) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = 0; j < places.size(); ++j) {
        if (takes(i, j)) y[places[i]] += elements[places[j]];
      }
    }
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace detail

/// Along `axis` in [0, ndim), every sum anew and in float64.

/// y_i = sum_(j <= i) x_j
inline Tensor cumsum(const Tensor& x, int axis) {
  return detail::sums_along(x, axis, [](std::size_t i, std::size_t j) { return j <= i; });
}

/// dx_i = sum_(j >= i) dy_j
inline Tensor cumsum_backward(const Tensor& dy, int axis) {
  return detail::sums_along(dy, axis, [](std::size_t i, std::size_t j) { return j >= i; });
}

}  // namespace gradwalk::reference
