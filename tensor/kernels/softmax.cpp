#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/exp_rows.h"
#include "tensor/kernels/parallel.h"

// Three passes over a row, of which only the first comes from memory: maximum, exponentials with
// their sum, and the division or subtraction. The exponentials are of the row's type, the sums and
// what is made of them in float64. Threads split the rows.

namespace gradwalk::kernels {
namespace {

template <class T>
constexpr T kLowest = -std::numeric_limits<T>::infinity();

// Nanoseconds an element, roughly: for the choice of threads.
constexpr double kExpWork = 0.3;
constexpr double kPlainWork = 0.2;

// kernel(x, y) for each row, or kernel(y, dy, dx).
template <class Kernel, class... Pointers>
void for_each_row_of(std::int64_t rows, std::int64_t width, double work, Kernel kernel,
                     Pointers... operands) {
  const double all = work * static_cast<double>(rows) * static_cast<double>(width);
  parallel_for(rows, static_cast<std::int64_t>(all), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) kernel((operands + row * width)...);
  });
}

template <class T>
bool all_masked(const T* x, std::int64_t width) {
  return std::all_of(x, x + width, [](T element) { return element == kLowest<T>; });
}

}  // namespace

template <class T>
void softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto one_row = [d, width](const T* in, T* out) HWY_ATTR {
    const double total = simd::sum_exp(width, in, simd::exp_shift(width, in),
                                       [=](std::int64_t i, auto e, auto part)
                                           HWY_ATTR { simd::store(e, d, out + i, part); });
    const auto scale = hn::Set(d, static_cast<T>(total == 0 ? 0 : 1 / total));
    simd::for_each_vector(d, width, [&](std::int64_t i, auto part) HWY_ATTR {
      simd::store(hn::Mul(simd::load(d, out + i, part), scale), d, out + i, part);
    });
  };
  for_each_row_of(rows, width, kExpWork, one_row, x, y);
}

template <class T>
void softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx) {
  const auto one_row = [width](const T* own, const T* upstream, T* out) HWY_ATTR {
    const double dot = simd::wide_sum(width, [&](std::int64_t i, auto part) HWY_ATTR {
      return hn::Mul(simd::load_wide(own + i, part), simd::load_wide(upstream + i, part));
    });
    const simd::Wide d;
    simd::for_each_vector(d, width, [&](std::int64_t i, auto part) HWY_ATTR {
      const auto rest = hn::Sub(simd::load_wide(upstream + i, part), hn::Set(d, dot));
      simd::store_wide(hn::Mul(simd::load_wide(own + i, part), rest), out + i, part);
    });
  };
  for_each_row_of(rows, width, kPlainWork, one_row, y, dy, dx);
}

template <class T>
void log_softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  const auto one_row = [width](const T* in, T* out) HWY_ATTR {
    const T largest = simd::exp_shift(width, in);
    const double total = simd::sum_exp(width, in, largest);
    if (total == 0) {
      std::fill(out, out + width, kLowest<T>);
      return;
    }
    // Two steps, x - m and then - log sum: m + log sum would lose the digits of a small log sum
    // beside a large m.
    const simd::Wide wide;
    const auto shift = hn::Set(wide, static_cast<double>(largest));
    const auto log_total = hn::Set(wide, std::log(total));
    simd::for_each_vector(wide, width, [&](std::int64_t i, auto part) HWY_ATTR {
      const auto gap = hn::Sub(simd::load_wide(in + i, part), shift);
      simd::store_wide(hn::Sub(gap, log_total), out + i, part);
    });
  };
  for_each_row_of(rows, width, kExpWork, one_row, x, y);
}

template <class T>
void log_softmax_backward(std::int64_t rows, std::int64_t width, const T* y, const T* dy, T* dx) {
  const hn::ScalableTag<T> d;
  const auto one_row = [d, width](const T* own, const T* upstream, T* out) HWY_ATTR {
    if (all_masked(own, width)) {
      std::fill(out, out + width, T{});
      return;
    }
    const double total = simd::wide_sum(width, [&](std::int64_t i, auto part) HWY_ATTR {
      return simd::load_wide(upstream + i, part);
    });
    // The probabilities first, then the rest over them in wide lanes.
    simd::for_each_vector(d, width, [&](std::int64_t i, auto part) HWY_ATTR {
      simd::store(simd::exp(d, simd::load(d, own + i, part)), d, out + i, part);
    });
    const simd::Wide wide;
    simd::for_each_vector(wide, width, [&](std::int64_t i, auto part) HWY_ATTR {
      const auto p = simd::load_wide(out + i, part);
      const auto share =
          hn::NegMulAdd(p, hn::Set(wide, total), simd::load_wide(upstream + i, part));
      simd::store_wide(share, out + i, part);
    });
  };
  for_each_row_of(rows, width, kExpWork, one_row, y, dy, dx);
}

template void softmax(std::int64_t, std::int64_t, const float*, float*);
template void softmax(std::int64_t, std::int64_t, const double*, double*);
template void softmax_backward(std::int64_t, std::int64_t, const float*, const float*, float*);
template void softmax_backward(std::int64_t, std::int64_t, const double*, const double*, double*);
template void log_softmax(std::int64_t, std::int64_t, const float*, float*);
template void log_softmax(std::int64_t, std::int64_t, const double*, double*);
template void log_softmax_backward(std::int64_t, std::int64_t, const float*, const float*, float*);
template void log_softmax_backward(std::int64_t, std::int64_t, const double*, const double*,
                                   double*);

}  // namespace gradwalk::kernels
