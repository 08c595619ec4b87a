#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/exp_rows.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/stream.h"

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

// kernel(x, y) for each row, or kernel(y, dy, dx). A kernel writes its row more than once: one of a
// result that is streamed is made in a buffer.
template <class Kernel, class T, class... In>
void for_each_row_of(std::int64_t rows, std::int64_t width, double work, Kernel kernel, T* result,
                     const In*... in) {
  constexpr std::int64_t kLongest = 4096;
  const bool stream = streams<T>(rows * width) && width <= kLongest;
  const double all = work * static_cast<double>(rows) * static_cast<double>(width);
  parallel_for(rows, static_cast<std::int64_t>(all), 1, [&](std::int64_t first, std::int64_t last) {
    if (!stream) {
      for (std::int64_t row = first; row < last; ++row) {
        kernel((in + row * width)..., result + row * width);
      }
      return;
    }
    alignas(64) T buffer[kLongest];
    for (std::int64_t row = first; row < last; ++row) {
      if (row + 1 < last) (prefetch(in + (row + 1) * width, width), ...);
      kernel((in + row * width)..., static_cast<T*>(buffer));
      stream_copy(buffer, result + row * width, width);
    }
    hwy::FlushStream();
  });
}

// What the exponentials are multiplied with; they are 0 in a row that is all -inf.
template <class T>
T scale_to_one(double total) {
  return static_cast<T>(total == 0 ? 0 : 1 / total);
}

template <class T>
bool all_masked(const T* x, std::int64_t width) {
  return std::all_of(x, x + width, [](T element) { return element == kLowest<T>; });
}

// A row that fits one vector stays in it: reading back what was just written in part would wait.
template <class T>
HWY_INLINE void softmax_short_row(int width, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const simd::First part{width};
  const auto lowest = hn::Set(d, kLowest<T>);
  const auto in = simd::or_else(d, simd::load(d, x, part), lowest, part);
  const auto largest = hn::MaxOfLanes(d, in);
  const auto shift = hn::IfThenZeroElse(hn::Eq(largest, lowest), largest);
  const auto e = simd::exp_nonpositive(d, hn::Sub(in, shift));  // 0 in the lanes that are not there
  simd::WideSum<decltype(d)> sum;
  sum.add(e);
  simd::store(hn::Mul(e, hn::Set(d, scale_to_one<T>(sum.total()))), d, y, part);
}

template <class T>
void softmax_row(std::int64_t width, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const double total = simd::sum_exp(width, x, simd::exp_shift(width, x),
                                     [=](std::int64_t i, auto e, auto part)
                                         HWY_ATTR { simd::store(e, d, y + i, part); });
  const auto scale = hn::Set(d, scale_to_one<T>(total));
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    simd::store(hn::Mul(simd::load(d, y + i, part), scale), d, y + i, part);
  });
}

}  // namespace

template <class T>
void softmax(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const auto one_row = [=](const T* in, T* out) HWY_ATTR {
    if (width <= lanes) {
      softmax_short_row(static_cast<int>(width), in, out);
    } else {
      softmax_row(width, in, out);
    }
  };
  for_each_row_of(rows, width, kExpWork, one_row, y, x);
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
  for_each_row_of(rows, width, kPlainWork, one_row, dx, y, dy);
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
  for_each_row_of(rows, width, kExpWork, one_row, y, x);
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
  for_each_row_of(rows, width, kExpWork, one_row, dx, y, dy);
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
