#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Cosine of the angle between vectors along the last axis, broadcasting over the axes before it.
///
///   cos(a, b) = a.b / (|a| |b|)
///
/// @param a, b  [..., D], float, one dtype
/// @return      the broadcast shape without its last axis, in [-1, 1], no unit. With
/// a zero vector it is 0: such a
///              vector points nowhere.
/// @throws ShapeError if the shapes do not broadcast or a or b is a scalar
Tensor cosine(const Tensor& a, const Tensor& b);

/// Length of the vectors along the last axis: sqrt(sum_i x_i^2). @throws ShapeError for a scalar
Tensor length(const Tensor& x);

}  // namespace gradwalk::nn
