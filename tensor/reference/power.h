#pragma once

#include "tensor/tensor.h"

/// The naive loops of tensor/power.h.
namespace gradwalk::reference {

Tensor pow(const Tensor& x, double exponent);
Tensor pow(const Tensor& a, const Tensor& b);

}  // namespace gradwalk::reference
