#pragma once

#include "tensor/kernels/reduction.h"

namespace gradwalk::kernels {

/// One result per slice, in order; dx in the layout that `to` says. float, double.
template <class T>
void var(const ReductionPlan& plan, const T* x, std::int64_t correction, T* y);
template <class T>
void var_backward(const ReductionPlan& from, const T* x, const T* dy, std::int64_t correction,
                  const ReductionPlan& to, T* dx);
template <class T>
void norm(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void norm_backward(const ReductionPlan& from, const T* x, const T* dy, const ReductionPlan& to,
                   T* dx);

}  // namespace gradwalk::kernels
