#include "tensor/kernels/rms_norm.h"

#include <cmath>

#include "tensor/kernels/norm_rows.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// As in layer_norm.cpp: statistics and gradients in float64, the result in the row's own type, sums
// over rows in fixed chunks.

namespace gradwalk::kernels {

namespace {

template <class T>
double mean_square(std::int64_t width, const T* x) {
  const double squares = simd::wide_sum(width, [x](std::int64_t i, auto part) HWY_ATTR {
    const auto element = simd::load_wide(x + i, part);
    return hn::Mul(element, element);
  });
  return squares / static_cast<double>(width);
}

// y = x rrms gamma
template <class T>
void write_row(std::int64_t width, const T* x, double rrms, const T* gamma, T* y) {
  const auto scale = hn::Set(simd::Wide(), rrms);
  simd::for_each_vector(simd::Wide(), width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto xhat = hn::Mul(simd::load_wide(x + i, part), scale);
    simd::store_wide(hn::Mul(xhat, simd::load_wide(gamma + i, part)), y + i, part);
  });
}

// The same in lanes of T, twice as many.
template <class T>
void write_row_in_lanes(std::int64_t width, const T* x, double rrms, const T* gamma, T* y) {
  const hn::ScalableTag<T> d;
  const auto scale = hn::Set(d, static_cast<T>(rrms));
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto xhat = hn::Mul(simd::load(d, x + i, part), scale);
    simd::store(hn::Mul(xhat, simd::load(d, gamma + i, part)), d, y + i, part);
  });
}

}  // namespace

template <class T>
void rms_norm(std::int64_t rows, std::int64_t width, const T* x, const T* gamma, double eps, T* y,
              double* rrms) {
  const Features<T> scale(gamma, width, 1);
  const auto some = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      rrms[r] = 1 / std::sqrt(mean_square(width, x + r * width) + eps);
      const auto write = fits_lanes<T>(rrms[r]) ? write_row_in_lanes<T> : write_row<T>;
      write(width, x + r * width, rrms[r], scale.data(), y + r * width);
    }
  };
  parallel_for(rows, rows * width / 5, 1, some);
}

template <class T>
void rms_norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gamma,
                       const double* rrms, const T* dy, T* dx, T* dgamma) {
  const simd::Wide d;
  Scratch<double> scales = features(gamma, width, 1);
  const auto one_row = [&, scale = scales.data()](std::int64_t r, double* gamma_sum) HWY_ATTR {
    const T* in = x + r * width;
    const T* upstream = dy + r * width;
    T* out = dx + r * width;
    const auto own = hn::Set(d, rrms[r]);
    const auto g = [=](std::int64_t i, auto part) HWY_ATTR {
      return hn::Mul(simd::load_wide(scale + i, part), simd::load_wide(upstream + i, part));
    };
    const auto xhat = [&](std::int64_t i, auto part)
                          HWY_ATTR { return hn::Mul(simd::load_wide(in + i, part), own); };
    const double sum_g_xhat = simd::wide_sum(width, [=](std::int64_t i, auto part) HWY_ATTR {
      return hn::Mul(g(i, part), xhat(i, part));
    });
    const auto mean_g_xhat = hn::Set(d, sum_g_xhat / static_cast<double>(width));
    simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
      const auto own_xhat = xhat(i, part);
      const auto rest = hn::NegMulAdd(own_xhat, mean_g_xhat, g(i, part));
      simd::store_wide(hn::Mul(own, rest), out + i, part);
      add_to(gamma_sum + i, hn::Mul(simd::load_wide(upstream + i, part), own_xhat), part);
    });
  };
  T* const into[] = {dgamma};
  sum_over_rows<T>(rows, width, into, [&](std::int64_t first, std::int64_t last, double* sums) {
    for (std::int64_t r = first; r < last; ++r) one_row(r, sums);
  });
}

template void rms_norm(std::int64_t, std::int64_t, const float*, const float*, double, float*,
                       double*);
template void rms_norm(std::int64_t, std::int64_t, const double*, const double*, double, double*,
                       double*);
template void rms_norm_backward(std::int64_t, std::int64_t, const float*, const float*,
                                const double*, const float*, float*, float*);
template void rms_norm_backward(std::int64_t, std::int64_t, const double*, const double*,
                                const double*, const double*, double*, double*);

}  // namespace gradwalk::kernels
