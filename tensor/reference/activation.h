#pragma once

#include "tensor/activation.h"

/// The naive loops of tensor/activation.h.
namespace gradwalk::reference {

Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x, GeluForm form = GeluForm::kErf);
Tensor silu(const Tensor& x);
Tensor softplus(const Tensor& x);

Tensor tanh_backward(const Tensor& y, const Tensor& dy);
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy);
Tensor relu_backward(const Tensor& y, const Tensor& dy);
Tensor gelu_backward(const Tensor& x, const Tensor& dy, GeluForm form = GeluForm::kErf);
Tensor silu_backward(const Tensor& x, const Tensor& dy);
Tensor softplus_backward(const Tensor& x, const Tensor& dy);

}  // namespace gradwalk::reference
