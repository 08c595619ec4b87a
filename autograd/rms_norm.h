#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Root-mean-square normalisation over the last axis; values and errors as in tensor/rms_norm.h.
///
///   y_i = gamma_i xhat_i,   xhat_i = x_i rrms,   rrms = 1 / sqrt(mean(x^2) + eps)
///
/// @param x      [..., D]
/// @param gamma  [D], or undefined: ones
///
/// Gradient   with g = gamma dy: dx = rrms (g - xhat mean(g xhat)), dgamma = sum dy xhat; the mean
///            over the last axis, the sum over all others
/// Source     Zhang and Sennrich 2019, section 4, eq. 4
Variable rms_norm(const Variable& x, const Variable& gamma = {}, double eps = 1e-6);

}  // namespace gradwalk
