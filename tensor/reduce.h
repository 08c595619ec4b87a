#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Reductions over all elements, over one axis, or over several: sum(x), sum(x, -1), sum(x, {0,
/// 2}).
///
/// @param axes      axes to reduce over, in [-ndim, ndim), each once
/// @param keepdims  keep the reduced axes with size 1, so that the result broadcasts against x
/// @return          x's dtype; float32 is summed in float64 and rounded once
/// @throws ShapeError if an axis is out of range or named twice; std::invalid_argument for bool, in
/// `mean` also for int64
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, const Axes& axes, bool keepdims = false);

/// Sum over number of elements. The mean of no elements is NaN.
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, const Axes& axes, bool keepdims = false);

/// The largest element; a NaN among them stays visible: the result is NaN.
/// @throws ShapeError if there are no elements to choose from
Tensor max(const Tensor& x);
Tensor max(const Tensor& x, const Axes& axes, bool keepdims = false);

/// Sums over the axes that broadcasting stretched or put in front, so that the result has `shape`:
/// the transpose of `expand`, and what undoes a broadcast in every backward rule.
/// @throws ShapeError if `shape` does not broadcast to x.shape
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace gradwalk
