#include "tensor/kernels/logsumexp.h"

#include <cmath>
#include <limits>

// Two passes over a slice: its maximum, then the sum of exponentials relative to it, in float64.

namespace gradwalk::kernels {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// The largest element; NaN if there is one, -inf for no elements.
template <class T>
double largest_of(const ReductionPlan& plan, const T* slice) {
  double largest = kMasked;
  for_each_element(plan, slice, [&](T element) {
    const auto value = static_cast<double>(element);
    if (value > largest || value != value) largest = value;
  });
  return largest;
}

template <class T>
double sum_of_exponentials(const ReductionPlan& plan, const T* slice, double largest) {
  double total = 0;
  for_each_element(plan, slice,
                   [&](T value) { total += std::exp(static_cast<double>(value) - largest); });
  return total;
}

}  // namespace

template <class T>
void logsumexp(const ReductionPlan& plan, const T* x, T* y) {
  for_each_slice(plan, [&](std::int64_t offset) {
    const double largest = largest_of(plan, x + offset);
    // An infinity or a NaN is the result itself; relative to it everything else would be NaN.
    *y++ = static_cast<T>(std::isfinite(largest)
                              ? largest + std::log(sum_of_exponentials(plan, x + offset, largest))
                              : largest);
  });
}

template <class T>
void logsumexp_backward(const ReductionPlan& from, const T* x, const T* dy, const ReductionPlan& to,
                        T* dx) {
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    const double largest = largest_of(from, x + at[0]);
    const double total = sum_of_exponentials(from, x + at[0], largest);
    const double upstream = static_cast<double>(*dy++);
    map_elements(from, x + at[0], to, dx + at[1], [&](T value) {
      if (largest == kMasked) return T{};
      return static_cast<T>(upstream * (std::exp(static_cast<double>(value) - largest) / total));
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
