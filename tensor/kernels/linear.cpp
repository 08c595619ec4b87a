#include "tensor/kernels/linear.h"

#include "tensor/kernels/gemv.h"

namespace gradwalk::kernels {

template <class T>
void column_sums(std::int64_t rows, std::int64_t columns, const T* x, T* y) {
  // x^T times a vector of ones.
  const T one = 1;
  gemv<T>(columns, rows, {x, /*row_stride=*/1, /*column_stride=*/columns}, &one, /*x_step=*/0,
          /*bias=*/nullptr, /*bias_step=*/0, y);
}

template void column_sums(std::int64_t, std::int64_t, const float*, float*);
template void column_sums(std::int64_t, std::int64_t, const double*, double*);

}  // namespace gradwalk::kernels
