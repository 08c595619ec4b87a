#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Reductions over all elements, over one axis, or over several: sum(x), sum(x, -1),
/// sum(x, {0, 2}).
///
/// @param axes      axes to reduce over, in [-ndim, ndim), each once
/// @param keepdims  keep the reduced axes with size 1, so that the result broadcasts against x
/// @return          x's dtype; float32 is summed in float64 and rounded once
/// @throws ShapeError if an axis is out of range or named twice; std::invalid_argument for bool, in
///                  `mean` also for int64
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, const Axes& axes, bool keepdims = false);

/// Sum over number of elements. The mean of no elements is NaN.
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, const Axes& axes, bool keepdims = false);

/// The largest and the smallest element; a NaN among them stays visible: the result is NaN.
/// @throws ShapeError if there are no elements to choose from
Tensor max(const Tensor& x);
Tensor max(const Tensor& x, const Axes& axes, bool keepdims = false);
Tensor min(const Tensor& x);
Tensor min(const Tensor& x, const Axes& axes, bool keepdims = false);

/// The gradient of max and of min: each slice's dy, shared equally among the elements that are
/// equal to its extreme; 0 for all others. Where the extreme is NaN, the NaNs share it.
///
/// @param x   what max or min was taken of, over `axes`
/// @param y   what it returned, with or without the reduced axes
/// @param dy  gradient of the loss with respect to y, one element per element of y
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes
Tensor extremum_backward(const Tensor& x, const Tensor& y, const Tensor& dy, const Axes& axes);

/// Where the largest element stands: its index along one axis, or over all elements its row-major
/// index. The first one if several are equal; the first NaN if there is one. Has no gradient.
///
/// @return  int64
/// @throws ShapeError if `axis` is out of range or there are no elements to choose from;
///          std::invalid_argument for bool
Tensor argmax(const Tensor& x);
Tensor argmax(const Tensor& x, int axis, bool keepdims = false);

/// Sums over the axes that broadcasting stretched or put in front, so that the result has `shape`:
/// the transpose of `expand`, and what undoes a broadcast in every backward rule.
/// @throws ShapeError if `shape` does not broadcast to x.shape
Tensor sum_to(Tensor x, const Shape& shape);

}  // namespace gradwalk
