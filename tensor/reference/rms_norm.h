#pragma once

#include <cmath>

#include "tensor/reference/values.h"
#include "tensor/rms_norm.h"

namespace gradwalk::reference {
namespace detail {

inline std::vector<double> values_or_ones(const Tensor& x, std::size_t width) {
  return x.defined() ? values(x) : std::vector<double>(width, 1);
}

inline double reciprocal_rms(const double* x, std::size_t width, double eps) {
  double squares = 0;
  for (std::size_t i = 0; i < width; ++i) squares += x[i] * x[i];
  return 1 / std::sqrt(squares / static_cast<double>(width) + eps);
}

}  // namespace detail

/// y_i = gamma_i x_i / sqrt(mean of x^2 + eps) over the last axis; undefined gamma is ones.
inline Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps) {
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const std::vector<double> in = values(x);
  const std::vector<double> scale = detail::values_or_ones(gamma, width);
  std::vector<double> y(in.size());
  for (std::size_t row = 0; row < in.size(); row += width) {
    const double rrms = detail::reciprocal_rms(&in[row], width, eps);
    for (std::size_t i = 0; i < width; ++i) y[row + i] = scale[i] * (in[row + i] * rrms);
  }
  return from_vector(y, x.shape(), x.dtype());
}

/// dx_j = sum_i gamma_i dy_i dxhat_i/dx_j with the Jacobian written out:
/// dxhat_i/dx_j = rrms ((i == j) - xhat_i xhat_j / D); dgamma_i sums dy_i xhat_i over the rows.
inline RmsNormGrads rms_norm_backward(const Tensor& x, const Tensor& gamma, double eps,
                                      const Tensor& dy) {
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const auto count = static_cast<double>(width);
  const std::vector<double> in = values(x);
  const std::vector<double> scale = detail::values_or_ones(gamma, width);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(in.size());
  std::vector<double> dgamma(width);
  for (std::size_t row = 0; row < in.size(); row += width) {
    const double rrms = detail::reciprocal_rms(&in[row], width, eps);
    for (std::size_t j = 0; j < width; ++j) {
      const double xhat_j = in[row + j] * rrms;
      for (std::size_t i = 0; i < width; ++i) {
        const double xhat_i = in[row + i] * rrms;
        const double slope = rrms * ((i == j ? 1 : 0) - xhat_i * xhat_j / count);
        dx[row + j] += scale[i] * upstream[row + i] * slope;
      }
      dgamma[j] += upstream[row + j] * xhat_j;
    }
  }
  return {from_vector(dx, x.shape(), x.dtype()), from_vector(dgamma, {x.shape()[-1]}, x.dtype())};
}

}  // namespace gradwalk::reference
