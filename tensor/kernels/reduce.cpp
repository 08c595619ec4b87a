#include "tensor/kernels/reduce.h"

#include <cmath>
#include <type_traits>

#include "tensor/kernels/strided.h"

namespace gradwalk::kernels {
namespace {

// float32 is added up in float64: 17 million ones stay 17 million. int64 wraps, so it is added up
// unsigned.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

// Calls fold(accumulator, element) for the inner elements of each outer position, then writes
// finish(accumulator).
template <class T, class A, class Fold, class Finish>
void reduce(const ReductionPlan& plan, const T* x, T* y, A start, Fold fold, Finish finish) {
  for_each_row<1>(plan.outer, {&plan.outer_strides},
                  [&](const Offsets<1>& outer, std::int64_t count, const Offsets<1>& outer_step) {
                    for (std::int64_t o = 0; o < count; ++o) {
                      const T* base = x + outer[0] + o * outer_step[0];
                      A accumulator = start;
                      for_each_row<1>(
                          plan.inner, {&plan.inner_strides},
                          [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
                            for (std::int64_t i = 0; i < n; ++i) {
                              accumulator = fold(accumulator, base[at[0] + i * step[0]]);
                            }
                          });
                      *y++ = finish(accumulator);
                    }
                  });
}

}  // namespace

template <class T>
void sum(const ReductionPlan& plan, const T* x, T* y) {
  reduce(
      plan, x, y, Sum<T>{},
      [](Sum<T> total, T value) { return total + static_cast<Sum<T>>(value); },
      [](Sum<T> total) { return static_cast<T>(total); });
}

template <class T>
void mean(const ReductionPlan& plan, const T* x, T* y) {
  const auto count = static_cast<double>(plan.inner.numel());
  reduce(
      plan, x, y, 0.0, [](double total, T value) { return total + static_cast<double>(value); },
      [count](double total) { return static_cast<T>(total / count); });
}

template <class T>
void max(const ReductionPlan& plan, const T* x, T* y) {
  struct Largest {
    T value{};
    bool any = false;
  };
  reduce(
      plan, x, y, Largest{},
      [](Largest largest, T value) {
        // A NaN compares false both ways: the first one is taken by value != value, and kept.
        const bool taken = !largest.any || value > largest.value || value != value;
        return taken ? Largest{value, true} : largest;
      },
      [](Largest largest) { return largest.value; });
}

template void sum(const ReductionPlan&, const float*, float*);
template void sum(const ReductionPlan&, const double*, double*);
template void sum(const ReductionPlan&, const std::int64_t*, std::int64_t*);
template void mean(const ReductionPlan&, const float*, float*);
template void mean(const ReductionPlan&, const double*, double*);
template void max(const ReductionPlan&, const float*, float*);
template void max(const ReductionPlan&, const double*, double*);
template void max(const ReductionPlan&, const std::int64_t*, std::int64_t*);

}  // namespace gradwalk::kernels
