#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y contiguous; NaN in any operand gives NaN. float, double, std::int64_t.
template <class T>
void abs(const Shape& shape, View<T> x, T* y);
template <class T>
void maximum(const Shape& shape, View<T> a, View<T> b, T* y);
template <class T>
void minimum(const Shape& shape, View<T> a, View<T> b, T* y);
template <class T>
void clip(const Shape& shape, View<T> x, T low, T high, T* y);

/// dx, da contiguous. float, double.
template <class T>
void abs_backward(const Shape& shape, View<T> x, View<T> dy, T* dx);
/// da_i = dy_i times 1 where a_i > b_i, 1/2 where they are equal, 0 where a_i < b_i.
template <class T>
void maximum_backward(const Shape& shape, View<T> a, View<T> b, View<T> dy, T* da);
template <class T>
void clip_backward(const Shape& shape, View<T> x, View<T> dy, T low, T high, T* dx);

}  // namespace gradwalk::kernels
