#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// The linear map of a layer as one op; values and errors as in tensor/linear.h.
///
///   y = x weight^T + bias     x [..., K]  weight [N, K]  bias [N]  ->  y [..., N]
///
/// @param bias  may be left out
///
/// Gradient   dx = dy weight; dweight = dy^T x and dbias = dy, summed over the leading axes
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

}  // namespace gradwalk
