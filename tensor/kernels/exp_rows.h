#pragma once

// What softmax, its logarithm and cross-entropy share: the exponentials of a row relative to its
// maximum, and their sum.

#include <cstdint>
#include <limits>

#include "tensor/kernels/simd_math.h"
#include "tensor/kernels/simd_rows.h"

namespace gradwalk::kernels::simd {

/// The row's maximum; 0 where every element is -inf, so that nothing is inf - inf: the sum of the
/// exponentials is then 0, and there only. NaN are left to that sum, which they make NaN.
template <class T>
HWY_INLINE T exp_shift(std::int64_t width, const T* x) {
  const T most = largest(width, x);
  return most == -std::numeric_limits<T>::infinity() ? T{} : most;
}

/// Adds up e_i = exp(x_i - shift) and hands each vector of them to use(i, e, part). Each e is off
/// by |x_i - shift| + 3 units of T at most; they are added up in float64, so that what is small
/// beside the largest, which is 1, keeps its digits.
template <class T, class Use>
HWY_INLINE double sum_exp(std::int64_t width, const T* x, T shift, Use use) {
  const hn::ScalableTag<T> d;
  WideSum<decltype(d)> sum;
  const auto down = hn::Set(d, shift);
  for_each_vector(d, width, [&](std::int64_t i, auto part) HWY_ATTR {
    const auto e = exp_nonpositive(d, hn::Sub(load(d, x + i, part), down));
    use(i, e, part);
    sum.add(or_else(d, e, hn::Zero(d), part));
  });
  return sum.total();
}
template <class T>
HWY_INLINE double sum_exp(std::int64_t width, const T* x, T shift) {
  return sum_exp(width, x, shift, [](std::int64_t, auto, auto) {});
}

}  // namespace gradwalk::kernels::simd
