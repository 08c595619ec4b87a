#pragma once

#include "tensor/tensor.h"

/// The naive loops of tensor/where.h.
namespace gradwalk::reference {

Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b);
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

}  // namespace gradwalk::reference
