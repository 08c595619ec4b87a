#pragma once

#include "tensor/shape.h"

namespace gradwalk::kernels {

/// Cumulative sums along `axis` in [0, ndim), from the first element on or, reversed, from the
/// last; x and y contiguous, with at least one element. float, double, std::int64_t.
template <class T>
void cumsum(const Shape& shape, int axis, bool reversed, const T* x, T* y);

}  // namespace gradwalk::kernels
