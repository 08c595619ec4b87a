#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// Over `axes`, each in [0, ndim); the reduced axes are dropped, or kept with size 1.
Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims);
Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keepdims);
Tensor max(const Tensor& x, const std::vector<int>& axes, bool keepdims);
Tensor min(const Tensor& x, const std::vector<int>& axes, bool keepdims);

/// Over one axis in [0, ndim), or over all elements: the first largest one, or the first NaN.
Tensor argmax(const Tensor& x, int axis, bool keepdims);
Tensor argmax(const Tensor& x);

/// dx = dy / number of ties where x equals the extreme of its slice along `axis`, else 0. y and dy
/// have no such axis.
Tensor extremum_backward(const Tensor& x, const Tensor& y, const Tensor& dy, int axis);

}  // namespace gradwalk::reference
