#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y_i = a_i op b_i, y contiguous. float, double, std::int64_t; equal and not_equal also bool.
/// greater is less with the operands changed over.
template <class T>
void equal(const Shape& shape, View<T> a, View<T> b, bool* y);
template <class T>
void not_equal(const Shape& shape, View<T> a, View<T> b, bool* y);
template <class T>
void less(const Shape& shape, View<T> a, View<T> b, bool* y);
template <class T>
void less_equal(const Shape& shape, View<T> a, View<T> b, bool* y);

/// float, double.
template <class T>
void isnan(const Shape& shape, View<T> x, bool* y);
template <class T>
void isinf(const Shape& shape, View<T> x, bool* y);
template <class T>
void isfinite(const Shape& shape, View<T> x, bool* y);

void logical_and(const Shape& shape, View<bool> a, View<bool> b, bool* y);
void logical_or(const Shape& shape, View<bool> a, View<bool> b, bool* y);
void logical_not(const Shape& shape, View<bool> x, bool* y);

}  // namespace gradwalk::kernels
