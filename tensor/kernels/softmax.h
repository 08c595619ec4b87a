#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Along contiguous rows of `width` >= 1 elements. float, double.
template <class T>
void softmax(std::int64_t rows, std::int64_t width, const T* x, T* y);
template <class T>
void softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx);
template <class T>
void log_softmax(std::int64_t rows, std::int64_t width, const T* x, T* y);
template <class T>
void log_softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx);

}  // namespace gradwalk::kernels
