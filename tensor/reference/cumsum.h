#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// Along `axis` in [0, ndim), every sum anew and in float64.

/// y_i = sum_(j <= i) x_j
Tensor cumsum(const Tensor& x, int axis);
/// dx_i = sum_(j >= i) dy_j
Tensor cumsum_backward(const Tensor& dy, int axis);

}  // namespace gradwalk::reference
