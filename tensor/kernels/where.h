#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y_i = cond_i ? a_i : b_i, y contiguous. float, double, std::int64_t, bool.
template <class T>
void where(const Shape& shape, View<bool> cond, View<T> a, View<T> b, T* y);

}  // namespace gradwalk::kernels
