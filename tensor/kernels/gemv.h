#pragma once

#include "tensor/kernels/matrix_view.h"

namespace gradwalk::kernels {

/// y[i] = sum_k a[i, k] x[k * x_step] + bias[i * bias_step], for a with rows or with columns
/// without gaps. float, double. The outputs are split over threads.
///
/// @param x_step  0 for one number again and again: with a 1, y is the row sums of a
/// @param bias    null for none
template <class T>
void gemv(std::int64_t rows, std::int64_t depth, MatrixView<T> a, const T* x, std::int64_t x_step,
          const T* bias, std::int64_t bias_step, T* y);

}  // namespace gradwalk::kernels
