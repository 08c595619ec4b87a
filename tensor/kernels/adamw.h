#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// The numbers of one step, the same for every element.
struct AdamWNumbers {
  double lr, beta1, beta2, eps, weight_decay;
  double correction1, correction2;  ///< 1 - beta1^t and 1 - beta2^t
};

/// Contiguous elements; writes param, m and v. float, double.
template <class T>
void adamw(std::int64_t n, const AdamWNumbers& numbers, const T* grad, T* param, T* m, T* v);

}  // namespace gradwalk::kernels
