#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// The sum of (p_i - t_i)^2 over contiguous elements. float, double.
template <class T>
double squared_error(std::int64_t n, const T* p, const T* t);
/// dp_i = share * 2 (p_i - t_i)
template <class T>
void squared_error_backward(std::int64_t n, const T* p, const T* t, double share, T* dp);

}  // namespace gradwalk::kernels
