#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y_i = exp(x_i - m) / sum_j exp(x_j - m) along `axis` in [0, ndim); all -inf gives zeros.
Tensor softmax(const Tensor& x, int axis);

/// dx_i = sum_j dy_j dy_j/dx_i with the Jacobian written out: dy_j/dx_i = y_j ((i == j) - y_i).
Tensor softmax_backward(const Tensor& y, const Tensor& dy, int axis);

/// y_i = (x_i - m) - log sum_j exp(x_j - m) along `axis` in [0, ndim); all -inf gives -inf.
Tensor log_softmax(const Tensor& x, int axis);

/// dx_i = dy_i - exp(y_i) sum_j dy_j; 0 where the whole slice of y is -inf.
Tensor log_softmax_backward(const Tensor& y, const Tensor& dy, int axis);

}  // namespace gradwalk::reference
