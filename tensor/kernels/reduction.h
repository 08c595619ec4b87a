#pragma once

// How every kernel that works along some axes walks over its operands: slice by slice, and within a
// slice element by element. A slice is what is left when the outer index is fixed: a row, a column,
// or everything.

#include <array>

#include "tensor/kernels/strided.h"

namespace gradwalk::kernels {

/// x seen as [outer..., inner...]: the inner axes are reduced, the result is contiguous over the
/// outer ones.
struct ReductionPlan {
  Shape outer;
  Strides outer_strides{};
  Shape inner;
  Strides inner_strides{};
};

/// Calls f(offsets) with where each operand's slice begins, in row-major order of the outer axes,
/// which all plans have in common.
template <int N, class F>
void for_each_slice(const std::array<const ReductionPlan*, static_cast<std::size_t>(N)>& plans,
                    F&& f) {
  std::array<const Strides*, static_cast<std::size_t>(N)> strides{};
  for (std::size_t k = 0; k < strides.size(); ++k) strides[k] = &plans[k]->outer_strides;
  for_each_row<N>(plans[0]->outer, strides,
                  [&](Offsets<N> at, std::int64_t n, const Offsets<N>& step) {
                    for (std::int64_t i = 0; i < n; ++i) {
                      f(at);
                      for (std::size_t k = 0; k < at.size(); ++k) at[k] += step[k];
                    }
                  });
}

/// The same for one operand: f(offset).
template <class F>
void for_each_slice(const ReductionPlan& plan, F&& f) {
  for_each_slice<1>({&plan}, [&](const Offsets<1>& at) { f(at[0]); });
}

/// Calls f(element) for the elements of one slice, in row-major order of the inner axes.
template <class T, class F>
void for_each_element(const ReductionPlan& plan, const T* slice, F&& f) {
  for_each_row<1>(plan.inner, {&plan.inner_strides},
                  [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
                    const T* x = slice + at[0];
                    if (step[0] == 1) {
                      for (std::int64_t i = 0; i < n; ++i) f(x[i]);
                    } else {
                      for (std::int64_t i = 0; i < n; ++i) f(x[i * step[0]]);
                    }
                  });
}

/// y = f(x) for the elements of one slice; the plans have their inner axes in common.
template <class T, class F>
void map_elements(const ReductionPlan& from, const T* x, const ReductionPlan& to, T* y, F&& f) {
  for_each_row<2>(from.inner, {&from.inner_strides, &to.inner_strides},
                  [&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
                    const T* in = x + at[0];
                    T* out = y + at[1];
                    if (step[0] == 1 && step[1] == 1) {
                      for (std::int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
                    } else {
                      for (std::int64_t i = 0; i < n; ++i) out[i * step[1]] = f(in[i * step[0]]);
                    }
                  });
}

}  // namespace gradwalk::kernels
