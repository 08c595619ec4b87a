#include "tensor/kernels/linear.h"

// The product is matmul's, on the weight with its strides swapped: there is one matrix product in
// the house.

namespace gradwalk::kernels {

template <class T>
void linear(MatmulSizes sizes, MatrixView<T> x, MatrixView<T> weight, const T* bias,
            std::int64_t bias_step, T* y) {
  matmul(sizes, x, {weight.data, weight.column_stride, weight.row_stride}, y);
  if (bias == nullptr) return;
  for (std::int64_t row = 0; row < sizes.m; ++row, y += sizes.n) {
    if (bias_step == 1) {
      for (std::int64_t i = 0; i < sizes.n; ++i) y[i] += bias[i];
    } else {
      for (std::int64_t i = 0; i < sizes.n; ++i) y[i] += bias[i * bias_step];
    }
  }
}

template void linear(MatmulSizes, MatrixView<float>, MatrixView<float>, const float*, std::int64_t,
                     float*);
template void linear(MatmulSizes, MatrixView<double>, MatrixView<double>, const double*,
                     std::int64_t, double*);

}  // namespace gradwalk::kernels
