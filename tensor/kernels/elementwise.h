#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y_i = a_i op b_i, y contiguous. float, double, std::int64_t; div for float and double.
template <class T>
void add(const Shape& shape, View<T> a, View<T> b, T* y);
template <class T>
void sub(const Shape& shape, View<T> a, View<T> b, T* y);
template <class T>
void mul(const Shape& shape, View<T> a, View<T> b, T* y);
template <class T>
void div(const Shape& shape, View<T> a, View<T> b, T* y);

/// y_i = f(x_i), y contiguous. float, double; neg also for std::int64_t.
template <class T>
void neg(const Shape& shape, View<T> x, T* y);
template <class T>
void exp(const Shape& shape, View<T> x, T* y);
template <class T>
void log(const Shape& shape, View<T> x, T* y);
template <class T>
void sqrt(const Shape& shape, View<T> x, T* y);

}  // namespace gradwalk::kernels
