#include "tensor/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels/lane_sum.h"

// A row stays in the cache for its passes: mean, variance, result. All of it is computed in float64
// and rounded once. Sums over rows run in row order, one accumulator a feature.

namespace gradwalk::kernels {
namespace {

// One row of x, and what the formulas say about its elements.
template <class T>
struct Row {
  const T* x;
  const T* gamma;
  double mean;
  double rstd;

  double deviation(std::int64_t i) const { return static_cast<double>(x[i]) - mean; }
  double xhat(std::int64_t i) const { return deviation(i) * rstd; }
  double scaled(const T* dy, std::int64_t i) const {
    return (gamma ? static_cast<double>(gamma[i]) : 1.0) * static_cast<double>(dy[i]);
  }
};

}  // namespace

template <class T>
void layer_norm(const NormRows<T>& in, const T* beta, double eps, T* y, double* mean,
                double* rstd) {
  const auto width = static_cast<double>(in.width);
  for (std::int64_t r = 0; r < in.rows; ++r, y += in.width) {
    const T* x = in.x + r * in.width;
    mean[r] = lane_sum(in.width, [x](std::int64_t i) { return static_cast<double>(x[i]); }) / width;
    Row<T> row{x, in.gamma, mean[r], 0};
    const double variance =
        lane_sum(in.width, [&row](std::int64_t i) { return row.deviation(i) * row.deviation(i); }) /
        width;
    rstd[r] = row.rstd = 1 / std::sqrt(variance + eps);
    for (std::int64_t i = 0; i < in.width; ++i) {
      const double scale = in.gamma ? static_cast<double>(in.gamma[i]) : 1;
      const double shift = beta ? static_cast<double>(beta[i]) : 0;
      y[i] = static_cast<T>(row.xhat(i) * scale + shift);
    }
  }
}

template <class T>
void layer_norm_backward(const NormRows<T>& in, const double* mean, const double* rstd, const T* dy,
                         T* dx, T* dgamma, T* dbeta) {
  const auto width = static_cast<double>(in.width);
  std::vector<double> gamma_sums(static_cast<std::size_t>(in.width));
  std::vector<double> beta_sums(static_cast<std::size_t>(in.width));
  double* for_gamma = gamma_sums.data();
  double* for_beta = beta_sums.data();
  for (std::int64_t r = 0; r < in.rows; ++r, dy += in.width, dx += in.width) {
    const Row<T> row{in.x + r * in.width, in.gamma, mean[r], rstd[r]};
    const double mean_g =
        lane_sum(in.width, [&](std::int64_t i) { return row.scaled(dy, i); }) / width;
    const double mean_g_xhat =
        lane_sum(in.width, [&](std::int64_t i) { return row.scaled(dy, i) * row.xhat(i); }) / width;
    for (std::int64_t i = 0; i < in.width; ++i) {
      const double g = row.scaled(dy, i);
      dx[i] = static_cast<T>(row.rstd * (g - mean_g - row.xhat(i) * mean_g_xhat));
      for_gamma[i] += static_cast<double>(dy[i]) * row.xhat(i);
      for_beta[i] += static_cast<double>(dy[i]);
    }
  }
  std::transform(gamma_sums.begin(), gamma_sums.end(), dgamma,
                 [](double total) { return static_cast<T>(total); });
  std::transform(beta_sums.begin(), beta_sums.end(), dbeta,
                 [](double total) { return static_cast<T>(total); });
}

template void layer_norm(const NormRows<float>&, const float*, double, float*, double*, double*);
template void layer_norm(const NormRows<double>&, const double*, double, double*, double*, double*);
template void layer_norm_backward(const NormRows<float>&, const double*, const double*,
                                  const float*, float*, float*, float*);
template void layer_norm_backward(const NormRows<double>&, const double*, const double*,
                                  const double*, double*, double*, double*);

}  // namespace gradwalk::kernels
