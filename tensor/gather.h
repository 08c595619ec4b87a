#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// One element per index along an axis, each place with an index of its own (gather in other
/// libraries, and take_along_axis in NumPy).
///
///   y[i, j, k] = x[i, indices[i, j, k], k]     for axis = 1
///
/// @param x        any dtype, ndim >= 1
/// @param indices  int64 in [0, x.shape[axis]), the shape of x but for `axis`; may repeat
/// @param axis     in [-ndim, ndim)
/// @return         the shape of indices, x's dtype
/// @throws ShapeError if shapes or `axis` do not fit; std::out_of_range for an index outside, also
///                 a negative one; std::invalid_argument unless indices are int64
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis);

/// The gradient of take_along_axis: each dy added to the place that it was read from.
/// dx[i, indices[i, j, k], k] += dy[i, j, k]; summed in float64, in the order of j.
///
/// @param shape  of x
/// @param dy     float, the shape of indices
/// @throws as take_along_axis
Tensor take_along_axis_backward(const Shape& shape, const Tensor& indices, int axis,
                                const Tensor& dy);

/// Whole slices of x, one per id: rows of a matrix for axis 0, as an embedding looks them up.
///
///   y[i, ..., k] = x[i, ids[...], k]     for axis = 1
///
/// @param x     any dtype, ndim >= 1
/// @param axis  in [-ndim, ndim)
/// @param ids   int64 in [0, x.shape[axis]), of any shape; may repeat
/// @return      x's dtype; x's shape with `axis` replaced by the axes of ids (none for a 0-d one)
/// @throws ShapeError if `axis` is out of range or the result has too many axes; std::out_of_range
///              for an id, also a negative one; std::invalid_argument unless ids are int64
Tensor index_select(const Tensor& x, int axis, const Tensor& ids);

/// The gradient of index_select: each slice of dy added to the slice that it was read from; summed
/// in float64, in the order of ids.
///
/// @param shape  of x
/// @param dy     float, the shape of index_select's result
/// @throws as index_select
Tensor index_select_backward(const Shape& shape, int axis, const Tensor& ids, const Tensor& dy);

/// y[..., c] = 1 where c = ids[...], else 0. Has no gradient.
///
/// @param ids      int64 in [0, classes), any shape
/// @param classes  >= 0
/// @return         [..., classes]
/// @throws std::out_of_range for an id outside, also a negative one; std::invalid_argument unless
///                 ids are int64 and classes >= 0; ShapeError if ids have too many axes
Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype = DType::kFloat32);

}  // namespace gradwalk
