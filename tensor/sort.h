#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Elements in order, and where each stood along the axis: values are
/// take_along_axis(x, indices, axis).
struct Sorted {
  Tensor values;   ///< x's dtype
  Tensor indices;  ///< int64
};

/// Orders each slice along an axis. Equal elements keep their order (also -0 and 0, and also when
/// descending); a NaN counts as larger than everything.
///
/// @param x           float or int64, ndim >= 1
/// @param axis        in [-ndim, ndim)
/// @param descending  the largest first
/// @return            both in the shape of x
/// @throws ShapeError if `axis` is out of range; std::invalid_argument for bool
Sorted sort(const Tensor& x, int axis = -1, bool descending = false);

/// The k largest elements of each slice, the largest first; or the k smallest, the smallest first:
/// the first k that `sort` gives, without ordering the rest.
///
/// @param k  in [0, x.shape[axis]]
/// @return   both in the shape of x with k along `axis`
/// @throws ShapeError if `axis` or k is out of range; std::invalid_argument for bool
Sorted topk(const Tensor& x, std::int64_t k, int axis = -1, bool largest = true);

}  // namespace gradwalk
