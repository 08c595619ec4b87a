#pragma once

#include <initializer_list>

#include "tensor/tensor.h"

namespace gradwalk {

/// All of these return views: they share x's storage and copy nothing, but for `reshape` where a
/// view is not possible. Axes count from the end if negative. Each throws ShapeError that names the
/// op and x's shape.

/// Swaps the last two axes: [..., M, N] -> [..., N, M]. @throws ShapeError if ndim < 2
Tensor transpose(const Tensor& x);

/// y.shape[i] = x.shape[axes[i]]. @throws ShapeError unless `axes` names every axis once
Tensor permute(const Tensor& x, std::initializer_list<int> axes);
Tensor permute(const Tensor& x, std::span<const int> axes);

/// The same elements in row-major order under another shape. One size may be -1: it is worked out
/// from the rest. A view where strides allow it, else a copy.
/// @throws ShapeError if the sizes do not multiply to x's number of elements, or a -1 cannot be
///         worked out
Tensor reshape(const Tensor& x, const Shape& shape);

/// Stretches axes of size 1 to the sizes of `shape`, with stride 0; new axes come in front.
/// @throws ShapeError if x does not broadcast to exactly `shape`
Tensor expand(const Tensor& x, const Shape& shape);

/// Elements begin, begin + step, ... before end along one axis. begin and end count from the end if
/// negative and are cut to the axis, as in Python. @throws ShapeError if step < 1
Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end,
             std::int64_t step = 1);

/// One position along an axis, which is dropped: select(x, 0, 2) is row 2 of a matrix.
/// @throws std::out_of_range if the index is not in [-size, size)
Tensor select(const Tensor& x, int axis, std::int64_t index);

/// Drops an axis of size 1. @throws ShapeError if its size is another
Tensor squeeze(const Tensor& x, int axis);

/// Puts in an axis of size 1, at the place that it has in the result: axis in [-ndim - 1, ndim].
/// @throws ShapeError if x has as many axes as a tensor can have
Tensor unsqueeze(const Tensor& x, int axis);

}  // namespace gradwalk
