#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Along contiguous rows; gamma may be null: ones. Writes rrms of each row. float, double.
template <class T>
void rms_norm(std::int64_t rows, std::int64_t width, const T* x, const T* gamma, double eps, T* y,
              double* rrms);
template <class T>
void rms_norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gamma,
                       const double* rrms, const T* dy, T* dx, T* dgamma);

}  // namespace gradwalk::kernels
