#include "tensor/activation.h"

#include "tensor/detail/map.h"
#include "tensor/kernels/activation.h"

namespace gradwalk {

Tensor tanh(const Tensor& x) {
  return map_unary<Floats>("tanh", x, [](auto... args) { kernels::tanh(args...); });
}
Tensor tanh_backward(const Tensor& y, const Tensor& dy) {
  return map_backward<Floats>("tanh_backward", "y", y, dy,
                              [](auto... args) { kernels::tanh_backward(args...); });
}

Tensor sigmoid(const Tensor& x) {
  return map_unary<Floats>("sigmoid", x, [](auto... args) { kernels::sigmoid(args...); });
}
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy) {
  return map_backward<Floats>("sigmoid_backward", "y", y, dy,
                              [](auto... args) { kernels::sigmoid_backward(args...); });
}

Tensor relu(const Tensor& x) {
  return map_unary<Floats>("relu", x, [](auto... args) { kernels::relu(args...); });
}
Tensor relu_backward(const Tensor& y, const Tensor& dy) {
  return map_backward<Floats>("relu_backward", "y", y, dy,
                              [](auto... args) { kernels::relu_backward(args...); });
}

Tensor gelu(const Tensor& x, GeluForm form) {
  return map_unary<Floats>("gelu", x, [form](auto... args) {
    form == GeluForm::kErf ? kernels::gelu_erf(args...) : kernels::gelu_tanh(args...);
  });
}
Tensor gelu_backward(const Tensor& x, const Tensor& dy, GeluForm form) {
  return map_backward<Floats>("gelu_backward", "x", x, dy, [form](auto... args) {
    form == GeluForm::kErf ? kernels::gelu_erf_backward(args...)
                           : kernels::gelu_tanh_backward(args...);
  });
}

Tensor silu(const Tensor& x) {
  return map_unary<Floats>("silu", x, [](auto... args) { kernels::silu(args...); });
}
Tensor silu_backward(const Tensor& x, const Tensor& dy) {
  return map_backward<Floats>("silu_backward", "x", x, dy,
                              [](auto... args) { kernels::silu_backward(args...); });
}

Tensor softplus(const Tensor& x) {
  return map_unary<Floats>("softplus", x, [](auto... args) { kernels::softplus(args...); });
}
Tensor softplus_backward(const Tensor& x, const Tensor& dy) {
  return map_backward<Floats>("softplus_backward", "x", x, dy,
                              [](auto... args) { kernels::softplus_backward(args...); });
}

}  // namespace gradwalk
