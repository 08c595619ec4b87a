#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/lane_sum.h"

// Three passes over a row that stays in the cache: maximum, exponentials with their sum, and the
// division or subtraction. Sums are kept in float64.

namespace gradwalk::kernels {
namespace {

template <class T>
constexpr T kLowest = -std::numeric_limits<T>::infinity();

template <class T>
struct Maximum {
  T largest;    // of the numbers in the row
  bool masked;  // all of them are -inf, and there is no NaN
};

template <class T>
Maximum<T> maximum(const T* x, std::int64_t width) {
  T largest = kLowest<T>;
  bool any_nan = false;
  for (std::int64_t i = 0; i < width; ++i) {
    largest = std::max(largest, x[i]);
    any_nan = any_nan || x[i] != x[i];
  }
  return {largest, largest == kLowest<T> && !any_nan};
}

}  // namespace

template <class T>
void softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, y += width) {
    const auto [largest, masked] = maximum(x, width);
    if (masked) {
      std::fill(y, y + width, T{});
      continue;
    }
    for (std::int64_t i = 0; i < width; ++i) y[i] = std::exp(x[i] - largest);
    const double total = lane_sum(width, [y](std::int64_t i) { return static_cast<double>(y[i]); });
    for (std::int64_t i = 0; i < width; ++i) {
      y[i] = static_cast<T>(static_cast<double>(y[i]) / total);
    }
  }
}

template <class T>
void softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx) {
  for (std::int64_t row = 0; row < rows; ++row, y += width, dy += width, dx += width) {
    const double dot = lane_sum(width, [y, dy](std::int64_t i) {
      return static_cast<double>(y[i]) * static_cast<double>(dy[i]);
    });
    for (std::int64_t i = 0; i < width; ++i) {
      dx[i] = static_cast<T>(static_cast<double>(y[i]) * (static_cast<double>(dy[i]) - dot));
    }
  }
}

template <class T>
void log_softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, y += width) {
    const auto [largest, masked] = maximum(x, width);
    if (masked) {
      std::fill(y, y + width, kLowest<T>);
      continue;
    }
    // Two steps, x - m and then - log sum: m + log sum would lose the digits of a small log sum
    // beside a large m.
    for (std::int64_t i = 0; i < width; ++i) y[i] = std::exp(x[i] - largest);
    const double log_total =
        std::log(lane_sum(width, [y](std::int64_t i) { return static_cast<double>(y[i]); }));
    for (std::int64_t i = 0; i < width; ++i) {
      const double gap = static_cast<double>(x[i]) - static_cast<double>(largest);
      y[i] = static_cast<T>(gap - log_total);
    }
  }
}

template <class T>
void log_softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx) {
  for (std::int64_t row = 0; row < rows; ++row, y += width, dy += width, dx += width) {
    if (maximum(y, width).masked) {
      std::fill(dx, dx + width, T{});
      continue;
    }
    const double total =
        lane_sum(width, [dy](std::int64_t i) { return static_cast<double>(dy[i]); });
    for (std::int64_t i = 0; i < width; ++i) {
      const auto p = static_cast<double>(std::exp(y[i]));
      dx[i] = static_cast<T>(static_cast<double>(dy[i]) - p * total);
    }
  }
}

template void softmax(std::int64_t, std::int64_t, const float*, float*);
template void softmax(std::int64_t, std::int64_t, const double*, double*);
template void softmax_backward(std::int64_t, std::int64_t, const float*, const float*, float*);
template void softmax_backward(std::int64_t, std::int64_t, const double*, const double*, double*);
template void log_softmax(std::int64_t, std::int64_t, const float*, float*);
template void log_softmax(std::int64_t, std::int64_t, const double*, double*);
template void log_softmax_backward(std::int64_t, std::int64_t, const float*, const float*, float*);
template void log_softmax_backward(std::int64_t, std::int64_t, const double*, const double*,
                                   double*);

}  // namespace gradwalk::kernels
