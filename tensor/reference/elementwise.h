#pragma once

#include "tensor/tensor.h"

/// The naive loops: plain loops over the elements, computed in float64 and rounded once at the end.
/// They say what an op means; tests hold the kernels to them, and benchmarks compare with them. No
/// code is shared with the kernels.
namespace gradwalk::reference {

Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor neg(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);

}  // namespace gradwalk::reference
