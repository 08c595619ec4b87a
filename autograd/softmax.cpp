#include "autograd/softmax.h"

#include "autograd/record.h"
#include "tensor/softmax.h"

namespace gradwalk {

Variable softmax(const Variable& x, int axis) {
  Tensor y = softmax(x.value(), axis);
  auto rule = [y = Saved(y), axis](const Tensor& dy) -> Grads {
    // dx = y * (dy - sum(dy * y, axis))
    return {softmax_backward(y, dy, axis)};
  };
  return record("softmax", std::move(y), {x}, std::move(rule));
}

Variable log_softmax(const Variable& x, int axis) {
  Tensor y = log_softmax(x.value(), axis);
  auto rule = [y = Saved(y), axis](const Tensor& dy) -> Grads {
    // dx = dy - exp(y) * sum(dy, axis)
    return {log_softmax_backward(y, dy, axis)};
  };
  return record("log_softmax", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
