#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// The linear map of a layer: each row of x times the transposed weight, plus the bias.
///
///   y[..., n] = sum_k x[..., k] weight[n, k] + bias[n]
///
/// @param x       [..., K], float, ndim >= 1
/// @param weight  [N, K], one row for each output, as checkpoints store it
/// @param bias    [N], or undefined for none
/// @return        [..., N]
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes that differ or are
///         no floats
/// @note   K = 0 gives the bias (or zeros). Products are summed in x's dtype, with matmul's bound
///         and one rounding more for the bias. Any strides.
/// Source  Goodfellow, Bengio, Courville 2016, section 6.1
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

struct LinearGrads {
  Tensor dx, dweight, dbias;
};

/// Which of them are wanted; the others stay undefined and cost nothing.
struct LinearNeeds {
  bool dx = true, dweight = true, dbias = true;
};

/// The gradient of linear.
///
///   dx = dy weight      dweight = dy^T x      dbias = dy
///
/// with dweight and dbias summed over the leading axes.
///
/// @param dy  gradient of the loss with respect to y, [..., N]
/// @note      dbias sums eight rows at a time: no element takes part in more than rows / 8 + 8
///            roundings.
LinearGrads linear_backward(const Tensor& x, const Tensor& weight, const Tensor& dy,
                            LinearNeeds needs = {});

}  // namespace gradwalk
