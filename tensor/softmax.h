#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Softmax along one axis.
///
///   y_i = exp(x_i - m) / sum_j exp(x_j - m),   m = max_j x_j
///
/// @param x     logits in nats, any float shape with ndim >= 1
/// @param axis  axis to normalise over, in [-ndim, ndim)
/// @return      probabilities in [0, 1], the shape of x; each slice along `axis` sums to 1 (but see
///              the note). Empty if x is
/// @throws ShapeError if x is a scalar or `axis` is out of range
/// @note    A slice that is all -inf (a fully masked row) gives zeros. A NaN or a +inf makes its
///          whole slice NaN. Exponentials are of x's dtype, y_i is off by |x_i - m| + 4 units of it
///          at most, and exp(x_i - m) below its smallest normal number may be 0.
/// Source   Goodfellow, Bengio, Courville 2016, section 4.1
Tensor softmax(const Tensor& x, int axis);

/// The gradient of softmax: dx = y * (dy - sum(dy * y, axis)); zeros for a fully masked row.
///
/// @param y   what softmax returned
/// @param dy  gradient of the loss with respect to y, the shape of y
/// @throws ShapeError if the shapes differ; std::invalid_argument if the dtypes do
Tensor softmax_backward(const Tensor& y, const Tensor& dy, int axis);

/// The logarithm of softmax, without forming a probability that could underflow to 0.
///
///   y_i = x_i - m - log sum_j exp(x_j - m),   m = max_j x_j
///
/// @param x     logits in nats, any float shape with ndim >= 1
/// @param axis  axis to normalise over, in [-ndim, ndim)
/// @return      log-probabilities in nats, <= 0, the shape of x. Empty if x is
/// @throws ShapeError if x is a scalar or `axis` is out of range
/// @note    A slice that is all -inf (a fully masked row) gives -inf, the logarithm of the zeros
///          that softmax gives. A NaN or a +inf makes its whole slice NaN.
/// Source   Goodfellow, Bengio, Courville 2016, sections 4.1 and 6.2.2.3
Tensor log_softmax(const Tensor& x, int axis);

/// The gradient of log_softmax: dx = dy - exp(y) * sum(dy, axis); zeros for a fully masked row, the
/// slices in which all of y is -inf.
///
/// @param y   what log_softmax returned
/// @param dy  gradient of the loss with respect to y, the shape of y
/// @throws ShapeError if the shapes differ; std::invalid_argument if the dtypes do
Tensor log_softmax_backward(const Tensor& y, const Tensor& dy, int axis);

}  // namespace gradwalk
