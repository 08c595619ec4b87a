#pragma once

#include "tensor/kernels/reduction.h"

namespace gradwalk::kernels {

/// The first elements of each slice in order, as many as a slice of `to` holds, and their places in
/// the slice of x; values and indices share their layout. Stable; NaN counts as the largest. float,
/// double, std::int64_t.
template <class T>
void sort(const ReductionPlan& from, const T* x, bool descending, const ReductionPlan& to,
          T* values, std::int64_t* indices);

}  // namespace gradwalk::kernels
