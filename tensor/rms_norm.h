#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Root-mean-square normalisation over the last axis: layer_norm without the mean and the shift.
///
///   y_i = gamma_i x_i rrms,   rrms = 1 / sqrt(1/D sum_i x_i^2 + eps)
///
/// @param x      [..., D], float
/// @param gamma  [D] of x's dtype, or undefined: ones
/// @param eps    >= 0, in the square of x's unit; it stands inside the root
/// @return       the shape and dtype of x, no unit
/// @throws ShapeError if x is a scalar or gamma is not [D]; std::invalid_argument for dtypes and
///         for an eps that is negative or not finite
/// @note   A row of zeros gives zeros (NaN if eps is 0). A NaN makes its whole row NaN; an infinity
///         turns itself into NaN and the rest of its row into zeros. float64 rows past 1e150, whose
///         squares overflow, give zeros.
/// Source  Zhang and Sennrich 2019, section 4, eq. 4; eps as in Touvron et al. 2023 (LLaMA)
Tensor rms_norm(const Tensor& x, const Tensor& gamma = {}, double eps = 1e-6);

/// What rms_norm returns, with the number of each row that its gradient needs.
struct RmsNormResult {
  Tensor y;
  Tensor rrms;  ///< [...], float64 for every dtype of x
};
RmsNormResult rms_norm_with_statistics(const Tensor& x, const Tensor& gamma, double eps);

struct RmsNormGrads {
  Tensor dx;      ///< the shape of x
  Tensor dgamma;  ///< [D]
};

/// The gradients of rms_norm. With xhat = x rrms and g = gamma dy:
///
///   dx = rrms (g - xhat mean(g xhat)),   dgamma = sum dy xhat
///
/// where the mean runs over the last axis and the sum over all others.
///
/// @param gamma  as it was in the forward, undefined if it was
/// @param rrms   from rms_norm_with_statistics
/// @param dy     gradient of the loss with respect to y, the shape and dtype of x
RmsNormGrads rms_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& rrms,
                               const Tensor& dy);

}  // namespace gradwalk
