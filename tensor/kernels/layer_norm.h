#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Contiguous rows to be normalised, and the scale of each feature (null: ones).
template <class T>
struct NormRows {
  std::int64_t rows;
  std::int64_t width;
  const T* x;
  const T* gamma;
};

/// beta may be null: zeros. Writes mean and rstd of each row. float, double.
template <class T>
void layer_norm(const NormRows<T>& in, const T* beta, double eps, T* y, double* mean, double* rstd);
template <class T>
void layer_norm_backward(const NormRows<T>& in, const double* mean, const double* rstd, const T* dy,
                         T* dx, T* dgamma, T* dbeta);

}  // namespace gradwalk::kernels
