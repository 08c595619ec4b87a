#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y[..., n] = bias[n] + sum_k x[..., k] weight[n, k], summed in float64; `bias` may be undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace gradwalk::reference
