#pragma once

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

/// The naive loops of tensor/where.h.
namespace gradwalk::reference {

inline Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  const Shape shape =
      broadcast_shapes("where", cond.shape(), broadcast_shapes("where", a.shape(), b.shape()));
  const std::vector<double> chooses = values(expand(cond, shape));
  const std::vector<double> p = values(expand(a, shape));
  std::vector<double> y = values(expand(b, shape));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (chooses[i] == 1) y[i] = p[i];
  }
  return from_vector(y, shape, a.dtype());
}

inline Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  const std::vector<double> masked = values(expand(mask, x.shape()));
  std::vector<double> y = values(x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (masked[i] == 1) y[i] = value;
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
