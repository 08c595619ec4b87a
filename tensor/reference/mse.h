#pragma once

#include "tensor/mse.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {

/// The mean or sum of (prediction_i - target_i)^2; 0 over no elements.
inline Tensor mse(const Tensor& prediction, const Tensor& target, LossReduction reduction) {
  const std::vector<double> p = values(prediction);
  const std::vector<double> t = values(target);
  double loss = 0;
  for (std::size_t i = 0; i < p.size(); ++i) loss += (p[i] - t[i]) * (p[i] - t[i]);
  if (reduction == LossReduction::kMean && !p.empty()) loss /= static_cast<double>(p.size());
  return scalar(loss, prediction.dtype());
}

/// dy 2 (prediction_i - target_i), for the mean divided by the number of elements.
inline Tensor mse_backward(const Tensor& prediction, const Tensor& target, const Tensor& dy,
                           LossReduction reduction) {
  const std::vector<double> p = values(prediction);
  const std::vector<double> t = values(target);
  std::vector<double> dx(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    dx[i] = dy.item() * 2 * (p[i] - t[i]);
    if (reduction == LossReduction::kMean) dx[i] /= static_cast<double>(p.size());
  }
  return from_vector(dx, prediction.shape(), prediction.dtype());
}

}  // namespace gradwalk::reference
