#include "tensor/kernels/logsumexp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/exp_rows.h"
#include "tensor/kernels/scratch.h"

// Two passes over a slice: its maximum, then the sum of exponentials relative to it. A slice that
// does not lie in one piece is gathered first.

namespace gradwalk::kernels {
namespace {

// The slices of x, each as one piece.
template <class T>
class Slices {
 public:
  Slices(const ReductionPlan& plan, const T* x)
      : plan_(plan), x_(x), width_(plan.inner.numel()), gathered_(width_) {
    const StridedLoop<1> loop = join_axes<1>(plan.inner, {&plan.inner_strides});
    in_place_ = loop.ndim == 0 || (loop.ndim == 1 && loop.steps[0][0] == 1);
  }

  std::int64_t width() const { return width_; }
  bool in_place() const { return in_place_; }
  const T* at(std::int64_t offset) {
    if (in_place_) return x_ + offset;
    T* next = gathered_.data();
    for_each_element(plan_, x_ + offset, [&next](T element) { *next++ = element; });
    return gathered_.data();
  }

 private:
  const ReductionPlan& plan_;
  const T* x_;
  std::int64_t width_;
  Scratch<T> gathered_;
  bool in_place_;
};

template <class T>
T logsumexp_of(std::int64_t width, const T* x) {
  const T shift = simd::exp_shift(width, x);
  if (shift ==
      std::numeric_limits<T>::infinity()) {  // inf - inf would be NaN, whatever else is there
    const bool any_nan = std::any_of(x, x + width, [](T element) { return element != element; });
    return any_nan ? std::numeric_limits<T>::quiet_NaN() : shift;
  }
  return static_cast<T>(static_cast<double>(shift) + std::log(simd::sum_exp(width, x, shift)));
}

// dx_i = dy exp(x_i - m) / sum_j exp(x_j - m); zeros where every x_j is -inf.
template <class T>
void weigh(std::int64_t width, const T* x, double dy, T* dx) {
  const hn::ScalableTag<T> d;
  const double total = simd::sum_exp(width, x, simd::exp_shift(width, x),
                                     [=](std::int64_t i, auto e, auto part)
                                         HWY_ATTR { simd::store(e, d, dx + i, part); });
  if (total == 0) return;
  const auto share = hn::Set(d, static_cast<T>(dy / total));
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    simd::store(hn::Mul(simd::load(d, dx + i, part), share), d, dx + i, part);
  });
}

}  // namespace

template <class T>
void logsumexp(const ReductionPlan& plan, const T* x, T* y) {
  Slices<T> slices(plan, x);
  for_each_slice(
      plan, [&](std::int64_t offset) { *y++ = logsumexp_of(slices.width(), slices.at(offset)); });
}

template <class T>
void logsumexp_backward(const ReductionPlan& from, const T* x, const T* dy, const ReductionPlan& to,
                        T* dx) {
  Slices<T> slices(from, x);
  const bool to_place = Slices<T>(to, dx).in_place();
  Scratch<T> weighed(to_place ? 0 : slices.width());
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    T* out = to_place ? dx + at[1] : weighed.data();
    weigh(slices.width(), slices.at(at[0]), static_cast<double>(*dy++), out);
    if (to_place) return;
    for_each_row<1>(to.inner, {&to.inner_strides},
                    [&](const Offsets<1>& begin, std::int64_t n, const Offsets<1>& step) {
                      for (std::int64_t i = 0; i < n; ++i) {
                        dx[at[1] + begin[0] + i * step[0]] = *out++;
                      }
                    });
  });
}

template void logsumexp(const ReductionPlan&, const float*, float*);
template void logsumexp(const ReductionPlan&, const double*, double*);
template void logsumexp_backward(const ReductionPlan&, const float*, const float*,
                                 const ReductionPlan&, float*);
template void logsumexp_backward(const ReductionPlan&, const double*, const double*,
                                 const ReductionPlan&, double*);

}  // namespace gradwalk::kernels
