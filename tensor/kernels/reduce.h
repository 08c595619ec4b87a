#pragma once

#include "tensor/shape.h"

namespace gradwalk::kernels {

/// x seen as [outer..., inner...]: the inner axes are reduced, the result is contiguous over the
/// outer ones.
struct ReductionPlan {
  Shape outer;
  Strides outer_strides{};
  Shape inner;
  Strides inner_strides{};
};

/// float, double, std::int64_t; mean for float and double.
template <class T>
void sum(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void mean(const ReductionPlan& plan, const T* x, T* y);
template <class T>
void max(const ReductionPlan& plan, const T* x, T* y);

}  // namespace gradwalk::kernels
