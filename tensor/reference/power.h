#pragma once

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

/// The naive loops of tensor/power.h.
namespace gradwalk::reference {

inline Tensor pow(const Tensor& x, double exponent) {
  std::vector<double> y = values(x);
  for (double& element : y) element = std::pow(element, exponent);
  return from_vector(y, x.shape(), x.dtype());
}

inline Tensor pow(const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast_shapes("pow", a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  std::vector<double> y = values(expand(b, shape));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::pow(p[i], y[i]);
  return from_vector(y, shape, a.dtype());
}

}  // namespace gradwalk::reference
