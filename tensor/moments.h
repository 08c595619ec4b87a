#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Variance over all elements, over one axis, or over several.
///
///   y = sum_i (x_i - m)^2 / (N - correction),   m = mean_i x_i,   N elements
///
/// @param x           float, any shape
/// @param axes        axes to reduce over, in [-ndim, ndim), each once
/// @param keepdims    keep the reduced axes with size 1
/// @param correction  1: the unbiased estimate from a sample; 0: the variance of the N numbers
///                    themselves, as layer norm wants it
/// @return            in the square of x's unit. NaN where N <= correction (of nothing; of a single
///                    number with correction 1), and where x has a NaN or an infinity
/// @throws ShapeError for axes out of range or named twice; std::invalid_argument for dtypes other
///                    than float32 and float64, and for correction < 0
/// @note   Two passes in float64: numbers far from zero keep their digits, which
///         mean(x^2) - mean(x)^2 loses.
/// Source  Chan, Golub, LeVeque 1983, "Algorithms for computing the sample variance": the corrected
///         two-pass algorithm
Tensor var(const Tensor& x);
Tensor var(const Tensor& x, const Axes& axes, bool keepdims = false, std::int64_t correction = 1);

/// The gradient of var: dx_i = dy 2 (x_i - m) / (N - correction); NaN where N <= correction.
///
/// @param dy  gradient of the loss with respect to y, one element per slice of x
/// @throws as var, and ShapeError if dy has another number of elements
Tensor var_backward(const Tensor& x, const Tensor& dy, const Axes& axes,
                    std::int64_t correction = 1);

/// Length of a vector (the 2-norm), over all elements, over one axis, or over several.
///
///   y = sqrt(sum_i x_i^2)
///
/// @param x  float, any shape
/// @return   in x's unit; 0 for no elements, +inf where x has an infinity, NaN where it has a NaN
/// @throws ShapeError for axes out of range or named twice; std::invalid_argument for dtypes other
///           than float32 and float64
/// @note     No square overflows or underflows on the way: the norm of (3e200, 4e200) is 5e200.
Tensor norm(const Tensor& x);
Tensor norm(const Tensor& x, const Axes& axes, bool keepdims = false);

/// The gradient of norm: dx_i = dy x_i / y. Where y = 0, a kink, it is 0; at an infinity it is NaN.
///
/// @param dy  gradient of the loss with respect to y, one element per slice of x
Tensor norm_backward(const Tensor& x, const Tensor& dy, const Axes& axes);

}  // namespace gradwalk
