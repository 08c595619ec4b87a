#include "tensor/kernels/rms_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels/lane_sum.h"

// As in layer_norm.cpp: computed in float64 and rounded once, sums over rows in row order.

namespace gradwalk::kernels {

template <class T>
void rms_norm(std::int64_t rows, std::int64_t width, const T* x, const T* gamma, double eps, T* y,
              double* rrms) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, y += width) {
    const double squares = lane_sum(width, [x](std::int64_t i) {
      return static_cast<double>(x[i]) * static_cast<double>(x[i]);
    });
    const double own = rrms[row] = 1 / std::sqrt(squares / static_cast<double>(width) + eps);
    for (std::int64_t i = 0; i < width; ++i) {
      const double scale = gamma ? static_cast<double>(gamma[i]) : 1;
      y[i] = static_cast<T>(static_cast<double>(x[i]) * own * scale);
    }
  }
}

template <class T>
void rms_norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gamma,
                       const double* rrms, const T* dy, T* dx, T* dgamma) {
  std::vector<double> sums(static_cast<std::size_t>(width));
  double* for_gamma = sums.data();
  for (std::int64_t row = 0; row < rows; ++row, x += width, dy += width, dx += width) {
    const double own = rrms[row];
    const auto xhat = [x, own](std::int64_t i) { return static_cast<double>(x[i]) * own; };
    const auto g = [gamma, dy](std::int64_t i) {
      return (gamma ? static_cast<double>(gamma[i]) : 1.0) * static_cast<double>(dy[i]);
    };
    const double mean_g_xhat = lane_sum(width, [&](std::int64_t i) { return g(i) * xhat(i); }) /
                               static_cast<double>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      dx[i] = static_cast<T>(own * (g(i) - xhat(i) * mean_g_xhat));
      for_gamma[i] += static_cast<double>(dy[i]) * xhat(i);
    }
  }
  std::transform(sums.begin(), sums.end(), dgamma,
                 [](double total) { return static_cast<T>(total); });
}

template void rms_norm(std::int64_t, std::int64_t, const float*, const float*, double, float*,
                       double*);
template void rms_norm(std::int64_t, std::int64_t, const double*, const double*, double, double*,
                       double*);
template void rms_norm_backward(std::int64_t, std::int64_t, const float*, const float*,
                                const double*, const float*, float*, float*);
template void rms_norm_backward(std::int64_t, std::int64_t, const double*, const double*,
                                const double*, const double*, double*, double*);

}  // namespace gradwalk::kernels
