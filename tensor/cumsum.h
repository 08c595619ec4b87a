#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Cumulative sum along one axis, as in top-p sampling: how much probability the first tokens hold
/// together.
///
///   y_i = x_0 + ... + x_i
///
/// @param x     float or int64, ndim >= 1
/// @param axis  axis to add up along, in [-ndim, ndim)
/// @return      the shape and dtype of x; empty if x is. float32 is added up in float64 and rounded
///              once per element; int64 wraps
/// @throws ShapeError if x is a scalar or `axis` is out of range; std::invalid_argument for bool
/// @note    From a NaN on, the rest of its slice is NaN; so it is from where infinities of both
///          signs have come together.
/// Source   Blelloch 1990, Prefix Sums and Their Applications, section 1
Tensor cumsum(const Tensor& x, int axis);

/// The gradient of cumsum, the reversed cumulative sum: x_i is a summand of y_i and of all later
/// ones.
///
///   dx_i = dy_i + ... + dy_(n-1)
///
/// @param dy  gradient of the loss with respect to y; dtypes, axis and errors as in cumsum
/// @return    the shape and dtype of dy
Tensor cumsum_backward(const Tensor& dy, int axis);

}  // namespace gradwalk
