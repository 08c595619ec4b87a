#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Three passes over a row that stays in the cache: maximum, exponentials with their sum, division.
// Sums are kept in float64.

namespace gradwalk::kernels {

template <class T>
void softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  for (std::int64_t row = 0; row < rows; ++row, x += width, y += width) {
    T largest = kLowest;
    bool any_nan = false;
    for (std::int64_t i = 0; i < width; ++i) {
      largest = std::max(largest, x[i]);
      any_nan = any_nan || x[i] != x[i];
    }
    if (largest == kLowest && !any_nan) {
      std::fill(y, y + width, T{});  // a fully masked row
      continue;
    }
    double total = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      y[i] = std::exp(x[i] - largest);
      total += static_cast<double>(y[i]);
    }
    for (std::int64_t i = 0; i < width; ++i) {
      y[i] = static_cast<T>(static_cast<double>(y[i]) / total);
    }
  }
}

template <class T>
void softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx) {
  for (std::int64_t row = 0; row < rows; ++row, y += width, dy += width, dx += width) {
    double dot = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      dot += static_cast<double>(y[i]) * static_cast<double>(dy[i]);
    }
    for (std::int64_t i = 0; i < width; ++i) {
      dx[i] = static_cast<T>(static_cast<double>(y[i]) * (static_cast<double>(dy[i]) - dot));
    }
  }
}

template void softmax(std::int64_t, std::int64_t, const float*, float*);
template void softmax(std::int64_t, std::int64_t, const double*, double*);
template void softmax_backward(std::int64_t, std::int64_t, const float*, const float*, float*);
template void softmax_backward(std::int64_t, std::int64_t, const double*, const double*, double*);

}  // namespace gradwalk::kernels
