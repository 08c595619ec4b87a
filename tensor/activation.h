#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Activations: functions of each element by itself, and their backward. x is float32 or float64 of
/// any shape and strides; no unit.
///
/// @return  the shape and dtype of x
/// @throws  std::invalid_argument if x is undefined or not a float; the backward functions also if
///          the dtypes differ, and ShapeError unless dy has the shape of the saved tensor
/// @note    Nothing overflows on the way: at infinities each function and its derivative has its
///          limit (silu(-inf) is 0, not -inf * 0). NaN gives NaN, and a NaN gradient.

/// Hyperbolic tangent, in [-1, 1].
Tensor tanh(const Tensor& x);
/// dx = dy (1 - y^2), from y = tanh(x). Where |y| is nearly 1 the factor is right to one rounding
/// of 1.
Tensor tanh_backward(const Tensor& y, const Tensor& dy);

/// The logistic function 1 / (1 + e^-x), in [0, 1]; for x far below 0 it is e^x to full relative
/// precision, down to the smallest denormal number.
Tensor sigmoid(const Tensor& x);
/// dx = dy y (1 - y), from y = sigmoid(x). As for tanh, where y is nearly 1.
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy);

/// max(x, 0).
/// Source  Nair and Hinton 2010, "Rectified linear units improve restricted Boltzmann machines"
Tensor relu(const Tensor& x);
/// dx = dy where y > 0, else 0, from y = relu(x) (or from x, which gives the same). At the kink,
/// x = 0, it is 0.
Tensor relu_backward(const Tensor& y, const Tensor& dy);

/// Which function `gelu` is. The two differ by up to 5e-4.
enum class GeluForm {
  kErf,   ///< x Phi(x), exact
  kTanh,  ///< an approximation of it, the one that GPT-2 uses
};

/// Gaussian error linear unit.
///
///   kErf:   y = x Phi(x) = x erfc(-x / sqrt 2) / 2
///   kTanh:  y = x (1 + tanh u) / 2,   u = sqrt(2 / pi) (x + 0.044715 x^3)
///
/// @note    For x far below 0 the relative precision stays full up to the rounding of x itself
///          (1 + tanh u and 1 + erf would have lost every digit at x = -6 in float32); near 0 y is
///          x / 2 to full precision. The derivative has a zero at x = -0.7518 (kErf), where its
///          error is one rounding of 1.
/// Source   Hendrycks and Gimpel 2016, "Gaussian error linear units (GELUs)", section 2
Tensor gelu(const Tensor& x, GeluForm form = GeluForm::kErf);
///   kErf:   dx = dy (Phi(x) + x phi(x)),   phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
///   kTanh:  dx = dy (s + x s (1 - s) 2 u'),   s = (1 + tanh u) / 2
Tensor gelu_backward(const Tensor& x, const Tensor& dy, GeluForm form = GeluForm::kErf);

/// x sigmoid(x), also called swish.
/// Source  Hendrycks and Gimpel 2016, section 2; Ramachandran, Zoph, Le 2017, "Searching for
///         activation functions"
Tensor silu(const Tensor& x);
/// dx = dy (s + x s (1 - s)),   s = sigmoid(x)
Tensor silu_backward(const Tensor& x, const Tensor& dy);

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), natural log; for x far below 0 it is e^x to full
/// relative precision.
/// Source  Dugas et al. 2001, "Incorporating second-order functional knowledge for better option
///         pricing"
Tensor softplus(const Tensor& x);
/// dx = dy sigmoid(x)
Tensor softplus_backward(const Tensor& x, const Tensor& dy);

}  // namespace gradwalk
