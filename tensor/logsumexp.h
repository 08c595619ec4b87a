#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Logarithm of a sum of exponentials, over all elements, over one axis, or over several.
///
///   y = log sum_i exp(x_i) = m + log sum_i exp(x_i - m),   m = max_i x_i
///
/// @param x         logits in nats, float, any shape
/// @param axes      axes to reduce over, in [-ndim, ndim), each once
/// @param keepdims  keep the reduced axes with size 1
/// @return          in nats. -inf for no elements and where all are -inf (a fully masked row), +inf
///                  where one is +inf, NaN where one is NaN
/// @throws ShapeError for axes out of range or named twice; std::invalid_argument for dtypes other
///                  than float32 and float64
/// @note   Exponentials are of x's dtype, their sum is float64, however long: y is off by log n + 4
///         units of the dtype (1.2e-7 in float32) at most, and by its own rounding
/// Source  Goodfellow, Bengio, Courville 2016, section 4.1
Tensor logsumexp(const Tensor& x);
Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdims = false);

/// The gradient of logsumexp: dx_i = dy exp(x_i - y), dy times the softmax of x. Zeros where all
/// x_i are -inf; NaN for a whole slice with a NaN or a +inf in it, as in softmax.
///
/// @param dy  gradient of the loss with respect to y, one element per slice of x
/// @throws ShapeError if dy has another number of elements; std::invalid_argument for dtypes
Tensor logsumexp_backward(const Tensor& x, const Tensor& dy, const Axes& axes);

}  // namespace gradwalk
