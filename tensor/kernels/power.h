#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y contiguous. float, double.
template <class T>
void pow(const Shape& shape, View<T> x, double exponent, T* y);
template <class T>
void pow(const Shape& shape, View<T> a, View<T> b, T* y);

}  // namespace gradwalk::kernels
