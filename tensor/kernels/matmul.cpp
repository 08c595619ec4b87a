#include "tensor/kernels/matmul.h"

#include <algorithm>

#include "tensor/threads.h"

// Row by row: y_i = sum_k a[i, k] b[k, :]. With the columns of b beside each other in memory the
// inner loop is a scaled addition of a row of b, which vectorises; else it reads b with its stride.

namespace gradwalk::kernels {
namespace {

// Below this many multiply-adds the start of a team costs more than it saves.
constexpr std::int64_t kThreadedWork = std::int64_t{1} << 20;

template <class T>
void one_row(MatmulSizes sizes, const T* a, std::int64_t a_step, MatrixView<T> b, T* y) {
  std::fill(y, y + sizes.n, T{});
  for (std::int64_t k = 0; k < sizes.k; ++k) {
    const T factor = a[k * a_step];
    const T* row = b.data + k * b.row_stride;
    if (b.column_stride == 1) {
      for (std::int64_t j = 0; j < sizes.n; ++j) y[j] += factor * row[j];
    } else {
      for (std::int64_t j = 0; j < sizes.n; ++j) y[j] += factor * row[j * b.column_stride];
    }
  }
}

}  // namespace

template <class T>
void matmul(MatmulSizes sizes, MatrixView<T> a, MatrixView<T> b, T* y) {
  const auto row = [=](std::int64_t i) {
    one_row(sizes, a.data + i * a.row_stride, a.column_stride, b, y + i * sizes.n);
  };
  if (sizes.m * sizes.n < kThreadedWork / std::max<std::int64_t>(1, sizes.k)) {
    for (std::int64_t i = 0; i < sizes.m; ++i) row(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(num_threads())
  for (std::int64_t i = 0; i < sizes.m; ++i) row(i);
}

template void matmul(MatmulSizes, MatrixView<float>, MatrixView<float>, float*);
template void matmul(MatmulSizes, MatrixView<double>, MatrixView<double>, double*);

}  // namespace gradwalk::kernels
