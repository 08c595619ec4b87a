#pragma once

#include "tensor/shape.h"

namespace gradwalk::kernels {

enum class Side { kLower, kUpper };

/// y = x on one side of a diagonal, itself included, and 0 on the other; x [..., M, N] in any
/// layout, y contiguous. i + diagonal must not overflow for any row i. float, double, std::int64_t,
/// bool.
template <class T>
void triangle(const Shape& shape, const Strides& strides, const T* x, Side side,
              std::int64_t diagonal, T* y);

}  // namespace gradwalk::kernels
