#pragma once

#include "tensor/layer_norm.h"

namespace gradwalk::reference {

/// y_i = gamma_i (x_i - mean) / sqrt(variance + eps) + beta_i over the last axis, the variance
/// divided by D; undefined gamma and beta are ones and zeros.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps);

/// dx_j = sum_i gamma_i dy_i dxhat_i/dx_j with the Jacobian written out:
/// dxhat_i/dx_j = rstd ((i == j) - 1/D - xhat_i xhat_j / D); dgamma_i and dbeta_i are the sums over
/// rows of dy_i xhat_i and of dy_i.
LayerNormGrads layer_norm_backward(const Tensor& x, const Tensor& gamma, double eps,
                                   const Tensor& dy);

}  // namespace gradwalk::reference
