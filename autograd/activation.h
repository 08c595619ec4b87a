#pragma once

#include "autograd/variable.h"
#include "tensor/activation.h"

namespace gradwalk {

/// Activations; formulas, accuracy, limits and errors as in tensor/activation.h.
///
/// Gradient   tanh: dx = dy (1 - y^2)                 sigmoid: dx = dy y (1 - y)
///            relu: dx = dy where y > 0, else 0       softplus: dx = dy sigmoid(x)
///            gelu: dx = dy (Phi(x) + x phi(x)), or that of the tanh form
///            silu: dx = dy (s + x s (1 - s)),   s = sigmoid(x)
///            relu'(0) is 0. Where x is NaN, dx is NaN.
/// Saved      tanh, sigmoid and relu keep y, gelu, silu and softplus x. Their results must stay as
///            they are, and their inputs, until backward has run; a write to them is an error
///            there.
Variable tanh(const Variable& x);
Variable sigmoid(const Variable& x);
Variable relu(const Variable& x);
Variable gelu(const Variable& x, GeluForm form = GeluForm::kErf);
Variable silu(const Variable& x);
Variable softplus(const Variable& x);

}  // namespace gradwalk
