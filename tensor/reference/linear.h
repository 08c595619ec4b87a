#pragma once

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y[..., n] = bias[n] + sum_k x[..., k] weight[n, k], summed in float64; `bias` may be undefined.
inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Shape shape = x.shape();
  shape.set(-1, weight.shape()[0]);
  const auto inputs = static_cast<std::size_t>(weight.shape()[1]);
  const auto outputs = static_cast<std::size_t>(weight.shape()[0]);
  const std::vector<double> from = values(x);
  const std::vector<double> w = values(weight);
  const std::vector<double> b = bias.defined() ? values(bias) : std::vector<double>(outputs, 0.0);
  std::vector<double> y(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t row = i / outputs;
    const std::size_t n = i % outputs;
    double total = 0;
    for (std::size_t k = 0; k < inputs; ++k) total += from[row * inputs + k] * w[n * inputs + k];
    y[i] = total + b[n];
  }
  return from_vector(y, shape, x.dtype());
}

}  // namespace gradwalk::reference
