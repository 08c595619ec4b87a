#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Cosine of the angle between vectors along the last axis, broadcasting over the axes before it.
///
///   cos(a, b) = a.b / (|a| |b|)
///
/// @param a, b  [..., D], float, one dtype; computed in float64
/// @return      the broadcast shape without its last axis, in [-1, 1], no unit. With a zero vector
///              it is 0: such a vector points nowhere. A NaN or an infinity in a vector makes it
///              NaN
/// @throws ShapeError if a or b is a scalar, the last axes differ or the axes before them do not
/// broadcast; std::invalid_argument for dtypes
Tensor cosine(const Tensor& a, const Tensor& b);

/// Length of the vectors along the last axis: sqrt(sum_i x_i^2), summed in float64.
/// @throws ShapeError for a scalar; std::invalid_argument for other dtypes than float
Tensor length(const Tensor& x);

}  // namespace gradwalk::nn
