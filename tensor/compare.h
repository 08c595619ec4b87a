#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Comparisons, element by element; a and b broadcast. The results are bool and carry no gradient.
///
/// @param a, b  one dtype: float32, float64 or int64; equal and not_equal take bool too
/// @return      bool, the broadcast shape
/// @throws      ShapeError if the shapes do not broadcast; std::invalid_argument if the dtypes
///              differ, and for bool where it has no order
/// @note        NaN is not equal to anything, itself included, and neither less nor greater: every
///              comparison with it is false but not_equal. -0 equals 0.
Tensor equal(const Tensor& a, const Tensor& b);
Tensor not_equal(const Tensor& a, const Tensor& b);
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);
Tensor greater(const Tensor& a, const Tensor& b);
Tensor greater_equal(const Tensor& a, const Tensor& b);

/// The same against a number, which takes x's dtype: beside float32, 0.1 is the float32 nearest to
/// it. @throws std::invalid_argument for a number with a fraction beside int64
Tensor equal(const Tensor& x, double number);
Tensor not_equal(const Tensor& x, double number);
Tensor less(const Tensor& x, double number);
Tensor less_equal(const Tensor& x, double number);
Tensor greater(const Tensor& x, double number);
Tensor greater_equal(const Tensor& x, double number);

/// Whether an element is NaN, an infinity of either sign, or neither. float32, float64.
Tensor isnan(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isfinite(const Tensor& x);

/// and, or, not of bool tensors; a and b broadcast.
/// @throws ShapeError if the shapes do not broadcast; std::invalid_argument for other dtypes
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);

}  // namespace gradwalk
