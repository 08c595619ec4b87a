#pragma once

#include "tensor/rms_norm.h"

namespace gradwalk::reference {

/// y_i = gamma_i x_i / sqrt(mean of x^2 + eps) over the last axis; undefined gamma is ones.
Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps);

/// dx_j = sum_i gamma_i dy_i dxhat_i/dx_j with the Jacobian written out:
/// dxhat_i/dx_j = rrms ((i == j) - xhat_i xhat_j / D); dgamma_i sums dy_i xhat_i over the rows.
RmsNormGrads rms_norm_backward(const Tensor& x, const Tensor& gamma, double eps, const Tensor& dy);

}  // namespace gradwalk::reference
