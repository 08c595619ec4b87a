#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Elements and slices by their index; shapes and errors as in tensor/gather.h. Indices are no
/// variables: they have no gradient. (one_hot has none either: it is in tensor/gather.h.)
///
/// Gradient   each dy added to the place that it was read from: a repeated index gets the sum of
///            all of its dy, in a fixed order, in float64
Variable take_along_axis(const Variable& x, const Tensor& indices, int axis);
Variable index_select(const Variable& x, int axis, const Tensor& ids);

}  // namespace gradwalk
