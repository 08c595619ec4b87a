#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Choices between numbers, element by element: float32, float64, int64, any shape and strides.
///
/// @throws std::invalid_argument for bool, in the backward functions also for int64, and if dtypes
///         differ; ShapeError if shapes do not broadcast, or dy has another shape
/// @note   NaN stays visible: NaN in any operand gives NaN, and a NaN gradient.

/// |x|. The absolute value of the lowest int64 wraps around to itself.
Tensor abs(const Tensor& x);
/// dx = dy sign(x); at the kink, x = 0, it is 0.
Tensor abs_backward(const Tensor& x, const Tensor& dy);

/// The larger and the smaller of a_i and b_i; a and b broadcast.
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
/// The gradient of maximum(a, b) with respect to a: da = dy where a > b, dy / 2 where they are
/// equal, 0 where a < b. By symmetry maximum_backward(b, a, dy) is the one with respect to b, and
/// that of minimum(a, b) with respect to a.
///
/// @param dy  the broadcast shape of a and b; da has it too
Tensor maximum_backward(const Tensor& a, const Tensor& b, const Tensor& dy);

/// min(max(x, low), high). An infinite bound does not bound.
/// @throws std::invalid_argument unless low <= high, and for a bound with a fraction beside int64
Tensor clip(const Tensor& x, double low, double high);
/// dx = dy where low <= x <= high, the bounds included, else 0.
Tensor clip_backward(const Tensor& x, const Tensor& dy, double low, double high);

}  // namespace gradwalk
