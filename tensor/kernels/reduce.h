#pragma once

#include "tensor/kernels/reduction.h"

namespace gradwalk::kernels {

/// One result per slice, in order. float, double, std::int64_t; mean for float and double. max, min
/// and argmax want slices with at least one element.
template <class T>
void sum(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void mean(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void max(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void min(const ReductionPlan& plan, const T* x, T* y);

/// Place of the first largest element within its slice; the first NaN if there is one.
template <class T>
void argmax(const ReductionPlan& plan, const T* x, std::int64_t* y);

/// dx = dy / ties where x is its slice's y, 0 elsewhere; y and dy one per slice. float, double.
template <class T>
void share_among_ties(const ReductionPlan& from, const T* x, const T* y, const T* dy,
                      const ReductionPlan& to, T* dx);

}  // namespace gradwalk::kernels
