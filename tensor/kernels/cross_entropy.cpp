#include "tensor/kernels/cross_entropy.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/exp_rows.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"

// A row of logits comes from memory once: its maximum is taken, then its exponentials, which the
// gradient's row keeps until their sum is known, and while they are computed the next row is
// fetched. The log-sum is taken relative to the maximum, so that the loss of a very unlikely class
// keeps its digits: the probability itself, which would underflow, is never formed.

namespace gradwalk::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The loss of a row whose exponentials relative to `largest` add up to `sum`.
template <class T>
double loss(const ClassRows<T>& in, const T* x, std::int64_t target, double largest, double sum) {
  if (sum == 0) return kInfinity;
  double result = 0;
  // Each part is left out where its weight is 0, for 0 * inf would be NaN.
  if (in.smoothing < 1) {
    result += (1 - in.smoothing) * (std::log(sum) + (largest - static_cast<double>(x[target])));
  }
  if (in.smoothing > 0) {
    const auto shift = hn::Set(simd::Wide(), largest);
    const double gaps = simd::wide_sum(in.classes, [=](std::int64_t i, auto part) HWY_ATTR {
      return hn::Sub(shift, simd::load_wide(x + i, part));
    });
    result += in.smoothing * (std::log(sum) + gaps / static_cast<double>(in.classes));
  }
  return result;
}

// The gradient's row, of which `dx` has the exponentials, with the sum of them.
template <class T>
void finish_gradient(const ClassRows<T>& in, std::int64_t target, double sum, double share, T* dx) {
  if (sum == 0) return;  // all exponentials are 0, and so is the gradient
  const hn::ScalableTag<T> d;
  const double everywhere = in.smoothing / static_cast<double>(in.classes);
  // (p - 1) + e - e / V: p near 1 keeps its digits.
  const double others = (sum - static_cast<double>(dx[target])) / sum;
  const auto scale = hn::Set(d, static_cast<T>(share / sum));
  const auto shift = hn::Set(d, static_cast<T>(share * everywhere));
  simd::for_each_vector(d, in.classes, [=](std::int64_t i, auto part) HWY_ATTR {
    simd::store(hn::MulSub(simd::load(d, dx + i, part), scale, shift), d, dx + i, part);
  });
  dx[target] = static_cast<T>(share * ((in.smoothing - everywhere) - others));
}

// The sum of the losses; dx may be null.
template <class T>
double run(const ClassRows<T>& in, double share, T* dx) {
  const hn::ScalableTag<T> d;
  Scratch<double> losses(in.rows);
  const auto one_row = [&](std::int64_t row, std::int64_t last) HWY_ATTR {
    const T* x = in.x + row * in.classes;
    T* out = dx ? dx + row * in.classes : nullptr;
    const std::int64_t target = in.targets[row];
    losses[row] = 0;
    if (target == in.ignored) {
      if (dx) std::fill(out, out + in.classes, T{});
      return;
    }
    const T* next = row + 1 < last ? x + in.classes : x;
    const T largest = simd::exp_shift(in.classes, x);
    double sum = 0;
    if (dx) {
      sum = simd::sum_exp(in.classes, x, largest, [=](std::int64_t i, auto e, auto part) HWY_ATTR {
        hwy::Prefetch(next + i);
        simd::store(e, d, out + i, part);
      });
      finish_gradient(in, target, sum, share, out);
    } else {
      sum = simd::sum_exp(in.classes, x, largest,
                          [=](std::int64_t i, auto, auto) HWY_ATTR { hwy::Prefetch(next + i); });
    }
    losses[row] = loss(in, x, target, static_cast<double>(largest), sum);
  };
  parallel_for(in.rows, in.rows * in.classes / 4, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) one_row(row, last);
  });
  double total = 0;
  for (std::int64_t row = 0; row < in.rows; ++row) total += losses[row];
  return total;
}

}  // namespace

template <class T>
double cross_entropy(const ClassRows<T>& in) {
  return run<T>(in, 0, nullptr);
}

template <class T>
double cross_entropy_with_gradient(const ClassRows<T>& in, double share, T* dx) {
  return run(in, share, dx);
}

template double cross_entropy(const ClassRows<float>&);
template double cross_entropy(const ClassRows<double>&);
template double cross_entropy_with_gradient(const ClassRows<float>&, double, float*);
template double cross_entropy_with_gradient(const ClassRows<double>&, double, double*);

}  // namespace gradwalk::kernels
