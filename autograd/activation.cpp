#include "autograd/activation.h"

#include "autograd/record.h"

namespace gradwalk {

// y alone is enough for the first three, and the op behind them often keeps it too.
Variable tanh(const Variable& x) {
  Tensor y = tanh(x.value());
  // dx = dy (1 - y^2)
  auto rule = [y = Saved(y)](const Tensor& dy) -> Grads { return {tanh_backward(y, dy)}; };
  return record("tanh", std::move(y), {x}, std::move(rule));
}

Variable sigmoid(const Variable& x) {
  Tensor y = sigmoid(x.value());
  // dx = dy y (1 - y)
  auto rule = [y = Saved(y)](const Tensor& dy) -> Grads { return {sigmoid_backward(y, dy)}; };
  return record("sigmoid", std::move(y), {x}, std::move(rule));
}

Variable relu(const Variable& x) {
  Tensor y = relu(x.value());
  // dx = dy where y > 0, else 0
  auto rule = [y = Saved(y)](const Tensor& dy) -> Grads { return {relu_backward(y, dy)}; };
  return record("relu", std::move(y), {x}, std::move(rule));
}

Variable gelu(const Variable& x, GeluForm form) {
  Tensor y = gelu(x.value(), form);
  auto rule = [x = Saved(x.value()), form](const Tensor& dy) -> Grads {
    // dx = dy (Phi(x) + x phi(x)), or the derivative of the tanh form
    return {gelu_backward(x, dy, form)};
  };
  return record("gelu", std::move(y), {x}, std::move(rule));
}

Variable silu(const Variable& x) {
  Tensor y = silu(x.value());
  // dx = dy (s + x s (1 - s)), s = sigmoid(x)
  auto rule = [x = Saved(x.value())](const Tensor& dy) -> Grads { return {silu_backward(x, dy)}; };
  return record("silu", std::move(y), {x}, std::move(rule));
}

Variable softplus(const Variable& x) {
  Tensor y = softplus(x.value());
  auto rule = [x = Saved(x.value())](const Tensor& dy) -> Grads {
    // dx = dy sigmoid(x)
    return {softplus_backward(x, dy)};
  };
  return record("softplus", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
