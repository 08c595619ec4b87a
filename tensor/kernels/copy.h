#pragma once

#include "tensor/shape.h"

namespace gradwalk::kernels {

/// y = x in row-major order, from any strides (0 along a stretched axis). T is a number type or
/// bool.
template <class T>
void copy(const Shape& shape, const T* x, const Strides& strides, T* y);

}  // namespace gradwalk::kernels
