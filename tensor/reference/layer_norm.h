#pragma once

#include <cmath>

#include "tensor/layer_norm.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace detail {

inline std::vector<double> values_or(const Tensor& x, std::size_t width, double other) {
  return x.defined() ? values(x) : std::vector<double>(width, other);
}

struct RowStatistics {
  double mean = 0;
  double rstd = 0;
};

inline RowStatistics row_statistics(const double* x, std::size_t width, double eps) {
  RowStatistics s;
  for (std::size_t i = 0; i < width; ++i) s.mean += x[i];
  s.mean /= static_cast<double>(width);
  double variance = 0;
  for (std::size_t i = 0; i < width; ++i) variance += (x[i] - s.mean) * (x[i] - s.mean);
  s.rstd = 1 / std::sqrt(variance / static_cast<double>(width) + eps);
  return s;
}

}  // namespace detail

/// y_i = gamma_i (x_i - mean) / sqrt(variance + eps) + beta_i over the last axis, the variance
/// divided by D; undefined gamma and beta are ones and zeros.
inline Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const std::vector<double> in = values(x);
  const std::vector<double> scale = detail::values_or(gamma, width, 1);
  const std::vector<double> shift = detail::values_or(beta, width, 0);
  std::vector<double> y(in.size());
  for (std::size_t row = 0; row < in.size(); row += width) {
    const detail::RowStatistics s = detail::row_statistics(&in[row], width, eps);
    for (std::size_t i = 0; i < width; ++i) {
      y[row + i] = scale[i] * (in[row + i] - s.mean) * s.rstd + shift[i];
    }
  }
  return from_vector(y, x.shape(), x.dtype());
}

/// dx_j = sum_i gamma_i dy_i dxhat_i/dx_j with the Jacobian written out:
/// dxhat_i/dx_j = rstd ((i == j) - 1/D - xhat_i xhat_j / D); dgamma_i and dbeta_i are the sums over
/// rows of dy_i xhat_i and of dy_i.
inline LayerNormGrads layer_norm_backward(const Tensor& x, const Tensor& gamma, double eps,
                                          const Tensor& dy) {
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const auto count = static_cast<double>(width);
  const std::vector<double> in = values(x);
  const std::vector<double> scale = detail::values_or(gamma, width, 1);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(in.size());
  std::vector<double> dgamma(width);
  std::vector<double> dbeta(width);
  for (std::size_t row = 0; row < in.size(); row += width) {
    const detail::RowStatistics s = detail::row_statistics(&in[row], width, eps);
    std::vector<double> xhat(width);
    for (std::size_t i = 0; i < width; ++i) xhat[i] = (in[row + i] - s.mean) * s.rstd;
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t i = 0; i < width; ++i) {
        const double slope = s.rstd * ((i == j ? 1 : 0) - 1 / count - xhat[i] * xhat[j] / count);
        dx[row + j] += scale[i] * upstream[row + i] * slope;
      }
      dgamma[j] += upstream[row + j] * xhat[j];
      dbeta[j] += upstream[row + j];
    }
  }
  const Shape features{x.shape()[-1]};
  return {from_vector(dx, x.shape(), x.dtype()), from_vector(dgamma, features, x.dtype()),
          from_vector(dbeta, features, x.dtype())};
}

}  // namespace gradwalk::reference
