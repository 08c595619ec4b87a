#pragma once

// How SIMD kernels walk along contiguous elements: whole vectors, then what is left as one vector
// of which only the first lanes are read and written. A kernel's body is written once and called
// with a part, `Whole` or `First`, that it hands on to load and store.
//
// Kernels whose sums decide the accuracy work in `wide` lanes: float64 whatever T is, converted as
// it is loaded, rounded once as it is stored. Along rows that come from memory this costs no time.

#include <array>
#include <cstdint>
#include <limits>

#include "tensor/kernels/simd.h"

namespace gradwalk::kernels::simd {

struct Whole {};
struct First {
  int count;
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* from, Whole) {
  return hn::LoadU(d, from);
}
/// The other lanes are 0.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D d, const T* from, First part) {
  return load_first(d, from, part.count);
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> v, D d, T* into, Whole) {
  hn::StoreU(v, d, into);
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> v, D d, T* into, First part) {
  store_first(v, d, into, part.count);
}

/// v in the lanes that are there, `other` in the rest.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V or_else(D, V v, V, Whole) {
  return v;
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V or_else(D d, V v, V other, First part) {
  return hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(part.count)), v, other);
}

using Wide = hn::ScalableTag<double>;

template <class Part>
HWY_INLINE hn::Vec<Wide> load_wide(const double* from, Part part) {
  return load(Wide(), from, part);
}
template <class Part>
HWY_INLINE hn::Vec<Wide> load_wide(const float* from, Part part) {
  return hn::PromoteTo(Wide(), load(hn::Rebind<float, Wide>(), from, part));
}
template <class Part>
HWY_INLINE void store_wide(hn::Vec<Wide> v, double* into, Part part) {
  store(v, Wide(), into, part);
}
template <class Part>
HWY_INLINE void store_wide(hn::Vec<Wide> v, float* into, Part part) {
  const hn::Rebind<float, Wide> narrow;
  store(hn::DemoteTo(narrow, v), narrow, into, part);
}

/// Calls f(i, part) for i = 0, lanes, 2 lanes, ... below n.
template <class D, class F>
HWY_INLINE void for_each_vector(D d, std::int64_t n, F f) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, Whole());
  if (i < n) f(i, First{static_cast<int>(n - i)});
}

/// Adds up to K sums of n terms each in wide lanes: term(i, part, sums) returns an array with the
/// next vector of each. Four accumulators a sum hide the latency of addition; no summand takes part
/// in more than n / (4 lanes) + 8 roundings.
template <std::size_t K, class Term>
HWY_INLINE std::array<double, K> wide_sums(std::int64_t n, Term term) {
  using V = hn::Vec<Wide>;
  const Wide d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  V sums[4][K];
  for (auto& own : sums) {
    for (V& sum : own) sum = hn::Zero(d);
  }
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const auto terms = term(i + j * lanes, Whole());
      for (std::size_t k = 0; k < K; ++k) sums[j][k] = hn::Add(sums[j][k], terms[k]);
    }
  }
  const auto add_rest = [&](std::int64_t at, auto part) HWY_ATTR {
    const auto terms = term(at, part);
    for (std::size_t k = 0; k < K; ++k) {
      sums[0][k] = hn::Add(sums[0][k], or_else(d, terms[k], hn::Zero(d), part));
    }
  };
  for (; i + lanes <= n; i += lanes) add_rest(i, Whole());
  if (i < n) add_rest(i, First{static_cast<int>(n - i)});
  std::array<double, K> totals;
  for (std::size_t k = 0; k < K; ++k) {
    const V total = hn::Add(hn::Add(sums[0][k], sums[1][k]), hn::Add(sums[2][k], sums[3][k]));
    totals[k] = hn::GetLane(hn::SumOfLanes(d, total));
  }
  return totals;
}

template <class Term>
HWY_INLINE double wide_sum(std::int64_t n, Term term) {
  return wide_sums<1>(n, [&](std::int64_t i, auto part)
                             HWY_ATTR { return std::array<hn::Vec<Wide>, 1>{term(i, part)}; })[0];
}

/// A sum of vectors of T in float64.
template <class D, class T = hn::TFromD<D>>
class WideSum {
 public:
  HWY_INLINE void add(hn::Vec<D> v) {
    if constexpr (sizeof(T) == sizeof(double)) {
      even_ = hn::Add(even_, v);
    } else {
      const hn::Half<D> half;
      even_ = hn::Add(even_, hn::PromoteTo(Wide(), hn::LowerHalf(half, v)));
      odd_ = hn::Add(odd_, hn::PromoteTo(Wide(), hn::UpperHalf(half, v)));
    }
  }
  HWY_INLINE double total() const {
    return hn::GetLane(hn::SumOfLanes(Wide(), hn::Add(even_, odd_)));
  }

 private:
  hn::Vec<Wide> even_ = hn::Zero(Wide());
  hn::Vec<Wide> odd_ = hn::Zero(Wide());
};

/// The largest of n numbers, -infinity for none. NaN are passed over (on x86) or are the result.
template <class T>
HWY_INLINE T largest(std::int64_t n, const T* x) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  V best[4] = {lowest, lowest, lowest, lowest};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (int j = 0; j < 4; ++j) best[j] = hn::Max(hn::LoadU(d, x + i + j * lanes), best[j]);
  }
  for_each_vector(d, n - i, [&](std::int64_t j, auto part) HWY_ATTR {
    best[0] = hn::Max(or_else(d, load(d, x + i + j, part), lowest, part), best[0]);
  });
  const V all = hn::Max(hn::Max(best[0], best[1]), hn::Max(best[2], best[3]));
  return hn::GetLane(hn::MaxOfLanes(d, all));
}

}  // namespace gradwalk::kernels::simd
