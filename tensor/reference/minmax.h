#pragma once

#include "tensor/tensor.h"

/// The naive loops of tensor/minmax.h.
namespace gradwalk::reference {

Tensor abs(const Tensor& x);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor clip(const Tensor& x, double low, double high);

Tensor abs_backward(const Tensor& x, const Tensor& dy);
Tensor maximum_backward(const Tensor& a, const Tensor& b, const Tensor& dy);
Tensor clip_backward(const Tensor& x, const Tensor& dy, double low, double high);

}  // namespace gradwalk::reference
