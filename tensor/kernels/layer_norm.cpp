#include "tensor/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/norm_rows.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// A row stays in the cache for its passes: mean, variance, result. Statistics are computed in
// float64 and rounded once: a mean far from zero costs no digits, nor does a square the range. The
// result needs no more than the row's own type.

namespace gradwalk::kernels {

namespace {

// Rows at a time: the sums of one run while the ends of another's, a chain of dependent steps,
// wait.
constexpr std::int64_t kBlock = 4;

template <class T>
double mean_of(std::int64_t width, const T* x) {
  const double total = simd::wide_sum(
      width, [x](std::int64_t i, auto part) HWY_ATTR { return simd::load_wide(x + i, part); });
  return total / static_cast<double>(width);
}

template <class T>
double variance_of(std::int64_t width, const T* x, double mean) {
  const auto shift = hn::Set(simd::Wide(), mean);
  const double squares = simd::wide_sum(width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto deviation = hn::Sub(simd::load_wide(x + i, part), shift);
    return hn::Mul(deviation, deviation);
  });
  return squares / static_cast<double>(width);
}

// y = (x - mean) rstd gamma + beta
template <class T>
void write_row(std::int64_t width, const T* x, double mean, double rstd, const T* gamma,
               const T* beta, T* y) {
  const simd::Wide d;
  const auto shift = hn::Set(d, mean);
  const auto scale = hn::Set(d, rstd);
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto xhat = hn::Mul(hn::Sub(simd::load_wide(x + i, part), shift), scale);
    const auto result =
        hn::MulAdd(xhat, simd::load_wide(gamma + i, part), simd::load_wide(beta + i, part));
    simd::store_wide(result, y + i, part);
  });
}

// The same in lanes of T, twice as many. The mean is taken off in two parts, so that the difference
// keeps its digits where the mean is far from zero.
template <class T>
void write_row_in_lanes(std::int64_t width, const T* x, double mean, double rstd, const T* gamma,
                        const T* beta, T* y) {
  const hn::ScalableTag<T> d;
  const auto high = static_cast<T>(mean);
  const auto shift = hn::Set(d, high);
  const auto rest = hn::Set(d, static_cast<T>(mean - static_cast<double>(high)));
  const auto scale = hn::Set(d, static_cast<T>(rstd));
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto deviation = hn::Sub(hn::Sub(simd::load(d, x + i, part), shift), rest);
    const auto result = hn::MulAdd(hn::Mul(deviation, scale), simd::load(d, gamma + i, part),
                                   simd::load(d, beta + i, part));
    simd::store(result, d, y + i, part);
  });
}

}  // namespace

template <class T>
void layer_norm(const NormRows<T>& in, const T* beta, double eps, T* y, double* mean,
                double* rstd) {
  const std::int64_t width = in.width;
  const Features<T> gamma(in.gamma, width, 1);
  const Features<T> shift(beta, width, 0);
  const auto some = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t begin = first; begin < last; begin += kBlock) {
      const std::int64_t end = std::min(last, begin + kBlock);
      for (std::int64_t r = begin; r < end; ++r) mean[r] = mean_of(width, in.x + r * width);
      for (std::int64_t r = begin; r < end; ++r) {
        rstd[r] = 1 / std::sqrt(variance_of(width, in.x + r * width, mean[r]) + eps);
      }
      for (std::int64_t r = begin; r < end; ++r) {
        const auto write = fits_lanes<T>(rstd[r]) ? write_row_in_lanes<T> : write_row<T>;
        write(width, in.x + r * width, mean[r], rstd[r], gamma.data(), shift.data(), y + r * width);
      }
    }
  };
  parallel_for(in.rows, in.rows * width / 4, 1, some);
}

template void layer_norm(const NormRows<float>&, const float*, double, float*, double*, double*);
template void layer_norm(const NormRows<double>&, const double*, double, double*, double*, double*);
}  // namespace gradwalk::kernels
