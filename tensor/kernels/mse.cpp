#include "tensor/kernels/mse.h"

#include "tensor/kernels/lane_sum.h"

// Differences are taken in float64: two close float32 numbers lose nothing, and 1e38 - -3e38 is no
// infinity yet.

namespace gradwalk::kernels {

template <class T>
double squared_error(std::int64_t n, const T* p, const T* t) {
  return lane_sum(n, [p, t](std::int64_t i) {
    const double error = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    return error * error;
  });
}

template <class T>
void squared_error_backward(std::int64_t n, const T* p, const T* t, double share, T* dp) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double error = static_cast<double>(p[i]) - static_cast<double>(t[i]);
    dp[i] = static_cast<T>(2 * share * error);
  }
}

template double squared_error(std::int64_t, const float*, const float*);
template double squared_error(std::int64_t, const double*, const double*);
template void squared_error_backward(std::int64_t, const float*, const float*, double, float*);
template void squared_error_backward(std::int64_t, const double*, const double*, double, double*);

}  // namespace gradwalk::kernels
