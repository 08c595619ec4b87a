#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// a [..., M, K] or [K], b [..., K, N] or [K]; three nested loops, summed in float64.
Tensor matmul(const Tensor& a, const Tensor& b);

/// a [M], b [N]: y[i, j] = a[i] b[j].
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace gradwalk::reference
