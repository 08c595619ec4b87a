#include "tensor/kernels/adamw.h"

#include <cmath>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// One pass: four numbers of an element are read and three written, which is all that it costs. The
// two corrections are constants of the step and go into the learning rate and the root's factor.

namespace gradwalk::kernels {

template <class T>
void adamw(std::int64_t n, const AdamWNumbers& numbers, const T* grad, T* param, T* m, T* v) {
  const hn::ScalableTag<T> d;
  const auto constant = [d](double value) HWY_ATTR { return hn::Set(d, static_cast<T>(value)); };
  const auto beta1 = constant(numbers.beta1);
  const auto beta2 = constant(numbers.beta2);
  const auto rest1 = constant(1 - numbers.beta1);
  const auto rest2 = constant(1 - numbers.beta2);
  const auto decay = constant(numbers.lr * numbers.weight_decay);
  const auto rate = constant(numbers.lr / numbers.correction1);
  const auto root_scale = constant(1 / std::sqrt(numbers.correction2));
  const auto eps = constant(numbers.eps);
  parallel_for(n, n / 2, 4096, [&](std::int64_t first, std::int64_t last) HWY_ATTR {
    simd::for_each_vector(d, last - first, [&](std::int64_t i, auto part) HWY_ATTR {
      const std::int64_t at = first + i;
      const auto g = simd::load(d, grad + at, part);
      const auto mean = hn::MulAdd(rest1, g, hn::Mul(beta1, simd::load(d, m + at, part)));
      const auto square =
          hn::MulAdd(hn::Mul(rest2, g), g, hn::Mul(beta2, simd::load(d, v + at, part)));
      const auto root = hn::MulAdd(hn::Sqrt(square), root_scale, eps);
      // Not w (1 - lr decay): 1 - 1e-5 has three digits of the 1e-5 in float.
      const auto w = simd::load(d, param + at, part);
      const auto move = hn::MulAdd(decay, w, hn::Div(hn::Mul(rate, mean), root));
      simd::store(hn::Sub(w, move), d, param + at, part);
      simd::store(mean, d, m + at, part);
      simd::store(square, d, v + at, part);
    });
  });
}

template void adamw(std::int64_t, const AdamWNumbers&, const float*, float*, float*, float*);
template void adamw(std::int64_t, const AdamWNumbers&, const double*, double*, double*, double*);

}  // namespace gradwalk::kernels
