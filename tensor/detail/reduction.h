#pragma once

#include "tensor/kernels/reduction.h"
#include "tensor/tensor.h"

/// What the value functions share that work along axes; not for users.
namespace gradwalk {

/// x seen with its kept axes in front and its reduced axes behind, and the shape of the result.
struct Reduction {
  kernels::ReductionPlan plan;
  Shape shape;
};

/// @throws ShapeError that names `op` if an axis is out of range or named twice;
///         std::invalid_argument if x is undefined
Reduction reduction(const char* op, const Tensor& x, const Axes& axes, bool keepdims = false);

/// All axes of x.
Axes every_axis(const Tensor& x);

/// What a `_backward` function checks: x and dy have one dtype, and dy has one element per slice of
/// x. Returns dy in the order of the slices.
Tensor upstream_per_slice(const char* op, const Tensor& x, const Tensor& dy, const Reduction& r);

}  // namespace gradwalk
