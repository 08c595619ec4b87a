#pragma once

#include "tensor/kernels/reduction.h"

namespace gradwalk::kernels {

/// Ids are in range: the caller has checked them.

/// y[j] = x[ids[j]] in every slice along one axis; all three in the layout that their plan says.
/// float, double, std::int64_t, bool.
template <class T>
void take_along_axis(const ReductionPlan& from, const T* x, const ReductionPlan& at,
                     const std::int64_t* ids, const ReductionPlan& to, T* y);
/// dx[ids[j]] += dy[j] in every slice, from zeros. float, double.
template <class T>
void take_along_axis_backward(const ReductionPlan& from, const T* dy, const ReductionPlan& at,
                              const std::int64_t* ids, const ReductionPlan& to, T* dx);

/// y [outer, count, inner] = x [outer, ids, inner], where `axis` of x stands in the middle; ids and
/// y contiguous. float, double, std::int64_t, bool.
template <class T>
void index_select(const Shape& shape, const Strides& strides, int axis, const T* x,
                  std::int64_t count, const std::int64_t* ids, T* y);
/// dx [outer, size, inner] = the sum of the slices of dy [outer, count, inner] with that id; all
/// contiguous. float, double.
template <class T>
void index_select_backward(const Shape& shape, int axis, std::int64_t count,
                           const std::int64_t* ids, const T* dy, T* dx);

/// y [count, classes]. float, double, std::int64_t, bool.
template <class T>
void one_hot(std::int64_t count, const std::int64_t* ids, std::int64_t classes, T* y);

}  // namespace gradwalk::kernels
