#include "tensor/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/norm_rows.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// A row stays in the cache for its passes: mean, variance, result. All of it is computed in float64
// and rounded once: as fast as memory, and a mean far from zero costs no digits. The sums over rows
// that dgamma and dbeta are run in fixed chunks of rows (norm_rows.h).

namespace gradwalk::kernels {

template <class T>
void layer_norm(const NormRows<T>& in, const T* beta, double eps, T* y, double* mean,
                double* rstd) {
  const simd::Wide d;
  const std::int64_t width = in.width;
  const auto n = static_cast<double>(width);
  Scratch<double> scales = features(in.gamma, width, 1);
  Scratch<double> shifts = features(beta, width, 0);
  const auto one_row = [&, scale = scales.data(), shift = shifts.data()](std::int64_t r) HWY_ATTR {
    const T* x = in.x + r * width;
    T* out = y + r * width;
    mean[r] = simd::wide_sum(width, [x](std::int64_t i, auto part)
                                        HWY_ATTR { return simd::load_wide(x + i, part); }) /
              n;
    const auto own_mean = hn::Set(d, mean[r]);
    const double squares = simd::wide_sum(width, [=](std::int64_t i, auto part) HWY_ATTR {
      const auto deviation = hn::Sub(simd::load_wide(x + i, part), own_mean);
      return hn::Mul(deviation, deviation);
    });
    rstd[r] = 1 / std::sqrt(squares / n + eps);
    const auto own_rstd = hn::Set(d, rstd[r]);
    simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
      const auto xhat = hn::Mul(hn::Sub(simd::load_wide(x + i, part), own_mean), own_rstd);
      simd::store_wide(
          hn::MulAdd(xhat, simd::load_wide(scale + i, part), simd::load_wide(shift + i, part)),
          out + i, part);
    });
  };
  parallel_for(in.rows, in.rows * width / 4, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) one_row(r);
  });
}

template <class T>
void layer_norm_backward(const NormRows<T>& in, const double* mean, const double* rstd, const T* dy,
                         T* dx, T* dgamma, T* dbeta) {
  const simd::Wide d;
  const std::int64_t width = in.width;
  const auto n = static_cast<double>(width);
  Scratch<double> scales = features(in.gamma, width, 1);
  const auto one_row = [&, scale = scales.data()](std::int64_t r, double* gamma_sum,
                                                  double* beta_sum) HWY_ATTR {
    const T* x = in.x + r * width;
    const T* upstream = dy + r * width;
    T* out = dx + r * width;
    const auto own_mean = hn::Set(d, mean[r]);
    const auto own_rstd = hn::Set(d, rstd[r]);
    const auto xhat = [=](std::int64_t i, auto part) HWY_ATTR {
      return hn::Mul(hn::Sub(simd::load_wide(x + i, part), own_mean), own_rstd);
    };
    const auto [sum_g,
                sum_g_xhat] = simd::wide_sums<2>(width, [=](std::int64_t i, auto part) HWY_ATTR {
      const auto g = hn::Mul(simd::load_wide(scale + i, part), simd::load_wide(upstream + i, part));
      return std::array{g, hn::Mul(g, xhat(i, part))};
    });
    const auto mean_g = hn::Set(d, sum_g / n);
    const auto mean_g_xhat = hn::Set(d, sum_g_xhat / n);
    simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
      const auto own_dy = simd::load_wide(upstream + i, part);
      const auto own_xhat = xhat(i, part);
      const auto g = hn::Mul(simd::load_wide(scale + i, part), own_dy);
      const auto rest = hn::NegMulAdd(own_xhat, mean_g_xhat, hn::Sub(g, mean_g));
      simd::store_wide(hn::Mul(own_rstd, rest), out + i, part);
      add_to(gamma_sum + i, hn::Mul(own_dy, own_xhat), part);
      add_to(beta_sum + i, own_dy, part);
    });
  };
  T* const into[] = {dgamma, dbeta};
  sum_over_rows<T>(in.rows, width, into,
                   [&](std::int64_t r, double* sums) { one_row(r, sums, sums + width); });
}

template void layer_norm(const NormRows<float>&, const float*, double, float*, double*, double*);
template void layer_norm(const NormRows<double>&, const double*, double, double*, double*, double*);
template void layer_norm_backward(const NormRows<float>&, const double*, const double*,
                                  const float*, float*, float*, float*);
template void layer_norm_backward(const NormRows<double>&, const double*, const double*,
                                  const double*, double*, double*, double*);

}  // namespace gradwalk::kernels
