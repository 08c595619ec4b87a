#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Variance and 2-norm; axes, shapes, edge cases and errors as in tensor/moments.h.
///
///   var:  y = sum_i (x_i - m)^2 / (N - correction), m the mean     norm:  y = sqrt(sum_i x_i^2)
///
/// Gradient   var: dx_i = dy 2 (x_i - m) / (N - correction); NaN where N <= correction
///            norm: dx_i = dy x_i / y; 0 where y = 0, a kink; NaN at an infinity
/// Source     Chan, Golub, LeVeque 1983, "Algorithms for computing the sample variance"
Variable var(const Variable& x);
Variable var(const Variable& x, const Axes& axes, bool keepdims = false,
             std::int64_t correction = 1);
Variable norm(const Variable& x);
Variable norm(const Variable& x, const Axes& axes, bool keepdims = false);

}  // namespace gradwalk
