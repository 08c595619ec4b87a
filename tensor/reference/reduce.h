#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// Over `axes`, each in [0, ndim); the reduced axes are dropped, or kept with size 1.
Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims);
Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keepdims);
Tensor max(const Tensor& x, const std::vector<int>& axes, bool keepdims);

}  // namespace gradwalk::reference
