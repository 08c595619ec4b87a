#pragma once

#include "tensor/kernels/matmul.h"

namespace gradwalk::kernels {

/// y[M, N] = x[M, K] weight[N, K]^T + bias[N]; y is contiguous and overwritten. float, double.
///
/// @param bias       null for none
/// @param bias_step  distance between neighbours of the bias, in elements
template <class T>
void linear(MatmulSizes sizes, MatrixView<T> x, MatrixView<T> weight, const T* bias,
            std::int64_t bias_step, T* y);

}  // namespace gradwalk::kernels
