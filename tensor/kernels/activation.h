#pragma once

#include "tensor/kernels/map.h"

namespace gradwalk::kernels {

/// y_i = f(x_i), y contiguous. float, double.
template <class T>
void tanh(const Shape& shape, View<T> x, T* y);
template <class T>
void sigmoid(const Shape& shape, View<T> x, T* y);
template <class T>
void relu(const Shape& shape, View<T> x, T* y);
template <class T>
void gelu_erf(const Shape& shape, View<T> x, T* y);
template <class T>
void gelu_tanh(const Shape& shape, View<T> x, T* y);
template <class T>
void silu(const Shape& shape, View<T> x, T* y);
template <class T>
void softplus(const Shape& shape, View<T> x, T* y);

/// dx_i = dy_i f'(x_i), dx contiguous; tanh, sigmoid and relu from y. float, double.
template <class T>
void tanh_backward(const Shape& shape, View<T> y, View<T> dy, T* dx);
template <class T>
void sigmoid_backward(const Shape& shape, View<T> y, View<T> dy, T* dx);
template <class T>
void relu_backward(const Shape& shape, View<T> y, View<T> dy, T* dx);
template <class T>
void gelu_erf_backward(const Shape& shape, View<T> x, View<T> dy, T* dx);
template <class T>
void gelu_tanh_backward(const Shape& shape, View<T> x, View<T> dy, T* dx);
template <class T>
void silu_backward(const Shape& shape, View<T> x, View<T> dy, T* dx);
template <class T>
void softplus_backward(const Shape& shape, View<T> x, View<T> dy, T* dx);

}  // namespace gradwalk::kernels
