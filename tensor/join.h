#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gradwalk {

/// The parts behind each other along one axis: concat({a, b}, 0), [2, N] and [3, N] -> [5, N].
///
/// @param parts  at least one, all of one dtype (any); equal sizes but along `axis`, where a part
///               may also be empty
/// @param axis   in [-ndim, ndim)
/// @throws ShapeError if there are no parts, they are 0-d, or shapes or `axis` do not fit;
///               std::invalid_argument if a part is undefined or dtypes differ
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);

/// The parts beside each other along a new axis: stack({a, b}, 0), [N] and [N] -> [2, N].
///
/// @param parts  at least one, all of one shape and dtype (any)
/// @param axis   where the new axis stands in the result, in [-ndim - 1, ndim]
/// @throws ShapeError if there are no parts, or shapes or `axis` do not fit;
///               std::invalid_argument if a part is undefined or dtypes differ
Tensor stack(std::span<const Tensor> parts, int axis);
Tensor stack(std::initializer_list<Tensor> parts, int axis);

/// Cuts x along one axis into pieces of the given sizes, or into `parts` equal ones. The pieces are
/// views: they share x's storage. concat(split(x, axis, ...), axis) is x again.
///
/// @param axis   in [-ndim, ndim)
/// @param sizes  each >= 0; together the size of that axis
/// @param parts  >= 1, and divides the size of that axis
/// @throws ShapeError if `axis` is out of range or the pieces do not make up x;
///               std::invalid_argument if x is undefined
std::vector<Tensor> split(const Tensor& x, int axis, std::span<const std::int64_t> sizes);
std::vector<Tensor> split(const Tensor& x, int axis, std::initializer_list<std::int64_t> sizes);
std::vector<Tensor> split(const Tensor& x, int axis, std::int64_t parts);

}  // namespace gradwalk
