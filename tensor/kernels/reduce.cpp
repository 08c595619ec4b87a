#include "tensor/kernels/reduce.h"

namespace gradwalk::kernels {
namespace {

// A NaN compares false both ways, so it is asked for by name. Integers have none.
template <class T>
bool is_nan(T value) {
  return value != value;
}

// Calls fold(accumulator, element) for the elements of each slice, then writes finish(accumulator).
template <class T, class A, class Fold, class Finish>
void reduce(const ReductionPlan& plan, const T* x, T* y, A start, Fold fold, Finish finish) {
  for_each_slice(plan, [&](std::int64_t offset) {
    A accumulator = start;
    for_each_element(plan, x + offset, [&](T value) { accumulator = fold(accumulator, value); });
    *y++ = finish(accumulator);
  });
}

// The element that no other one is better than: the first of them, and a NaN before all others.
template <class T, class Better>
void extremum(const ReductionPlan& plan, const T* x, T* y, Better better) {
  struct Best {
    T value{};
    bool any = false;
  };
  reduce(
      plan, x, y, Best{},
      [better](Best best, T value) {
        const bool taken = !best.any || better(value, best.value) || is_nan(value);
        return taken ? Best{value, true} : best;
      },
      [](Best best) { return best.value; });
}

}  // namespace

template <class T>
void max(const ReductionPlan& plan, const T* x, T* y) {
  extremum(plan, x, y, [](T value, T best) { return value > best; });
}

template <class T>
void min(const ReductionPlan& plan, const T* x, T* y) {
  extremum(plan, x, y, [](T value, T best) { return value < best; });
}

template <class T>
void argmax(const ReductionPlan& plan, const T* x, std::int64_t* y) {
  for_each_slice(plan, [&](std::int64_t offset) {
    T best{};
    std::int64_t place = 0;
    std::int64_t i = 0;
    for_each_element(plan, x + offset, [&](T value) {
      if (i == 0 || value > best || (is_nan(value) && !is_nan(best))) {
        best = value;
        place = i;
      }
      ++i;
    });
    *y++ = place;
  });
}

template <class T>
void share_among_ties(const ReductionPlan& from, const T* x, const T* y, const T* dy,
                      const ReductionPlan& to, T* dx) {
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    const T extreme = *y++;
    const auto ties = [extreme](T value) {
      return value == extreme || (is_nan(value) && is_nan(extreme));
    };
    std::int64_t count = 0;
    for_each_element(from, x + at[0], [&](T value) { count += ties(value) ? 1 : 0; });
    const T share = static_cast<T>(static_cast<double>(*dy++) / static_cast<double>(count));
    map_elements(from, x + at[0], to, dx + at[1],
                 [&](T value) { return ties(value) ? share : T{}; });
  });
}

using Int = std::int64_t;
template void max(const ReductionPlan&, const float*, float*);
template void max(const ReductionPlan&, const double*, double*);
template void max(const ReductionPlan&, const Int*, Int*);
template void min(const ReductionPlan&, const float*, float*);
template void min(const ReductionPlan&, const double*, double*);
template void min(const ReductionPlan&, const Int*, Int*);
template void argmax(const ReductionPlan&, const float*, Int*);
template void argmax(const ReductionPlan&, const double*, Int*);
template void argmax(const ReductionPlan&, const Int*, Int*);
template void share_among_ties(const ReductionPlan&, const float*, const float*, const float*,
                               const ReductionPlan&, float*);
template void share_among_ties(const ReductionPlan&, const double*, const double*, const double*,
                               const ReductionPlan&, double*);

}  // namespace gradwalk::kernels
