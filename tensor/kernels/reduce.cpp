#include "tensor/kernels/reduce.h"

#include <type_traits>

#include "tensor/kernels/simd.h"

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

// Where the largest element so far stands: the first of them, or the first NaN.
template <class T>
class Place {
 public:
  // The n elements behind those that it has seen.
  void look_at(const T* x, std::int64_t n, std::int64_t step) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (step == 1 && seen_ + i > 0) i = skip_lesser(x, i, n);
      if (i < n) compare(x[i * step], seen_ + i);
    }
    seen_ += n;
  }
  std::int64_t get() const { return place_; }

 private:
  void compare(T value, std::int64_t place) {
    if (place == 0 || value > best_ || (is_nan(value) && !is_nan(best_))) {
      best_ = value;
      place_ = place;
    }
  }

  // Goes on from i by whole vectors, as long as no element of them is better or NaN: of many
  // elements few are the largest so far. (This Highway compares no integers that way.)
  std::int64_t skip_lesser(const T* x, std::int64_t i, std::int64_t n) const {
    if constexpr (std::is_floating_point_v<T>) {
      const hn::ScalableTag<T> d;
      constexpr auto kLanes = static_cast<std::int64_t>(HWY_LANES(T));
      const auto best = hn::Set(d, best_);
      while (i + kLanes <= n && hn::AllTrue(d, hn::Le(hn::LoadU(d, x + i), best))) i += kLanes;
    }
    return i;
  }

  T best_{};
  std::int64_t place_ = 0;
  std::int64_t seen_ = 0;
};

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
    Place<T> place;
    for_each_row<1>(plan.inner, {&plan.inner_strides},
                    [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
                      place.look_at(x + offset + at[0], n, step[0]);
                    });
    *y++ = place.get();
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
