#pragma once

#include <cmath>

#include "tensor/adamw.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {

struct AdamWResult {
  Tensor param, m, v;
};

/// What adamw_step makes of param, m and v; nothing is written in place.
inline AdamWResult adamw_step(const Tensor& param, const Tensor& grad, const Tensor& m,
                              const Tensor& v, std::int64_t step, const AdamWOptions& options) {
  const auto [lr, beta1, beta2, eps, weight_decay] = options;
  std::vector<double> w = values(param);
  const std::vector<double> g = values(grad);
  std::vector<double> mean = values(m);
  std::vector<double> square = values(v);
  const auto t = static_cast<double>(step);
  for (std::size_t i = 0; i < w.size(); ++i) {
    mean[i] = beta1 * mean[i] + (1 - beta1) * g[i];
    square[i] = beta2 * square[i] + (1 - beta2) * g[i] * g[i];
    const double mean_hat = mean[i] / (1 - std::pow(beta1, t));
    const double square_hat = square[i] / (1 - std::pow(beta2, t));
    w[i] -= lr * (mean_hat / (std::sqrt(square_hat) + eps) + weight_decay * w[i]);
  }
  return {from_vector(w, param.shape(), param.dtype()),
          from_vector(mean, param.shape(), param.dtype()),
          from_vector(square, param.shape(), param.dtype())};
}

}  // namespace gradwalk::reference
