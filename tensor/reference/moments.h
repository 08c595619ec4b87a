#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// Over `axes`, each in [0, ndim); the reduced axes are kept with size 1.

/// sum (x - mean)^2 / (N - correction); NaN where N <= correction.
Tensor var(const Tensor& x, const std::vector<int>& axes, std::int64_t correction);
/// dx = dy 2 (x - mean) / (N - correction). dy has the reduced axes with size 1.
Tensor var_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes,
                    std::int64_t correction);
/// sqrt(sum x^2), as a chain of hypotenuses.
Tensor norm(const Tensor& x, const std::vector<int>& axes);
/// dx = dy x / norm, 0 where the norm is 0. dy has the reduced axes with size 1.
Tensor norm_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes);

}  // namespace gradwalk::reference
