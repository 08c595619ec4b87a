#pragma once

#include "tensor/kernels/reduction.h"

namespace gradwalk::kernels {

/// One result per slice, in order; dx in the layout that `to` says. float, double.
template <class T>
void logsumexp(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void logsumexp_backward(const ReductionPlan& from, const T* x, const T* dy, const ReductionPlan& to,
                        T* dx);

}  // namespace gradwalk::kernels
