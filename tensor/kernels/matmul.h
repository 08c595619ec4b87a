#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// y[M, N] = a[M, K] b[K, N]
struct MatmulSizes {
  std::int64_t m, n, k;
};

/// A matrix in place: element [i, j] is data[i * row_stride + j * column_stride]. A transposed
/// operand only swaps the strides.
template <class T>
struct MatrixView {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// y is contiguous and overwritten. float, double. Rows are split over threads; each row is summed
/// in one fixed order, so the bits do not depend on the number of threads.
template <class T>
void matmul(MatmulSizes sizes, MatrixView<T> a, MatrixView<T> b, T* y);

}  // namespace gradwalk::kernels
