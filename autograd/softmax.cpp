#include "autograd/softmax.h"

#include "autograd/record.h"
#include "tensor/softmax.h"

namespace gradwalk {

Variable softmax(const Variable& x, int axis) {
  Tensor y = softmax(x.value(), axis);
  auto rule = [y = Saved(y), axis](const Tensor& dy) -> Grads {
    return {softmax_backward(y, dy, axis)};
  };
  return record("softmax", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
