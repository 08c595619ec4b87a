#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// Over `axes`, each in [0, ndim); the reduced axes are kept with size 1.

/// log sum exp(x), shifted by the largest element; -inf where there is none or all are -inf.
Tensor logsumexp(const Tensor& x, const std::vector<int>& axes);
/// dx = dy exp(x) / sum exp(x). dy has the reduced axes with size 1.
Tensor logsumexp_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes);

}  // namespace gradwalk::reference
