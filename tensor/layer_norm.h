#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Layer normalisation over the last axis: each row gets mean 0 and variance 1, then a scale and a
/// shift for each feature.
///
///   y_i = gamma_i (x_i - mean) rstd + beta_i
///   mean = 1/D sum_i x_i,   rstd = 1 / sqrt(1/D sum_i (x_i - mean)^2 + eps)
///
/// The variance divides by D, not D - 1, eps stands inside the root, and the deviations are taken
/// in a second pass: mean(x^2) - mean^2 would lose rows that lie far from zero.
///
/// @param x      [..., D], float
/// @param gamma  [D] of x's dtype, or undefined: ones
/// @param beta   [D] of x's dtype, or undefined: zeros
/// @param eps    >= 0, in the square of x's unit
/// @return       the shape and dtype of x, no unit
/// @throws ShapeError if x is a scalar or gamma or beta is not [D]; std::invalid_argument for
///         dtypes and for an eps that is negative or not finite
/// @note   A row of equal elements gives beta (NaN if eps is 0). A NaN or an infinity makes its
///         whole row NaN. float64 rows past 1e150, whose squares overflow, give beta or NaN.
/// Source  Ba, Kiros, Hinton 2016, section 3, eq. 3 and 4
Tensor layer_norm(const Tensor& x, const Tensor& gamma = {}, const Tensor& beta = {},
                  double eps = 1e-5);

/// What layer_norm returns, with the numbers of each row that its gradient needs.
struct LayerNormResult {
  Tensor y;
  Tensor mean;  ///< [...], float64 for every dtype of x: far from zero a float32 mean lacks digits
  Tensor rstd;  ///< [...], float64
};
LayerNormResult layer_norm_with_statistics(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                           double eps);

struct LayerNormGrads {
  Tensor dx;      ///< the shape of x
  Tensor dgamma;  ///< [D]
  Tensor dbeta;   ///< [D]
};

/// The gradients of layer_norm. With xhat = (x - mean) rstd and g = gamma dy:
///
///   dx = rstd (g - mean(g) - xhat mean(g xhat)),   dgamma = sum dy xhat,   dbeta = sum dy
///
/// where means run over the last axis and sums over all others.
///
/// @param gamma       as it was in the forward, undefined if it was
/// @param mean, rstd  from layer_norm_with_statistics
/// @param dy          gradient of the loss with respect to y, the shape and dtype of x
LayerNormGrads layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                   const Tensor& rstd, const Tensor& dy);

}  // namespace gradwalk
