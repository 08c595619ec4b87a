#pragma once

#include <cstdint>

#include "tensor/kernels/matrix_view.h"
#include "tensor/kernels/strided.h"

namespace gradwalk::kernels {

/// y[M, N] = a[M, K] b[K, N]
struct MatmulSizes {
  std::int64_t m, n, k;
};

/// y = a b + bias, the bias [N] added to each row; null for none. y is contiguous and overwritten.
/// Any strides. float, double.
template <class T>
void matmul(MatmulSizes sizes, MatrixView<T> a, MatrixView<T> b, const T* bias, T* y);

/// One product for each index of `batch`, whose steps are those of a and of b (0: the same matrix
/// again); the results lie behind each other in y.
template <class T>
void matmul(const StridedLoop<2>& batch, MatmulSizes sizes, MatrixView<T> a, MatrixView<T> b, T* y);

}  // namespace gradwalk::kernels
