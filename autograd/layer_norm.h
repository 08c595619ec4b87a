#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Layer normalisation over the last axis; values and errors as in tensor/layer_norm.h.
///
///   y_i = gamma_i xhat_i + beta_i,   xhat_i = (x_i - mean) rstd,   rstd = 1 / sqrt(variance + eps)
///
/// @param x      [..., D]
/// @param gamma  [D], or undefined: ones
/// @param beta   [D], or undefined: zeros
///
/// Gradient   with g = gamma dy: dx = rstd (g - mean(g) - xhat mean(g xhat)), dgamma = sum dy xhat,
///            dbeta = sum dy; means over the last axis, sums over all others
/// Source     Ba, Kiros, Hinton 2016, section 3, eq. 3 and 4
Variable layer_norm(const Variable& x, const Variable& gamma = {}, const Variable& beta = {},
                    double eps = 1e-5);

}  // namespace gradwalk
