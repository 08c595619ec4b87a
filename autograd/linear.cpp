#include "autograd/linear.h"

#include "autograd/record.h"
#include "tensor/linear.h"

namespace gradwalk {

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  Tensor y = linear(x.value(), weight.value(), bias.value());
  if (!bias.defined()) {
    auto rule = [x = Saved(x.value()), weight = Saved(weight.value())](const Tensor& dy) -> Grads {
      LinearGrads grads = linear_backward(x, weight, dy);
      return {grads.dx, grads.dweight};
    };
    return record("linear", std::move(y), {x, weight}, std::move(rule));
  }
  auto rule = [x = Saved(x.value()), weight = Saved(weight.value())](const Tensor& dy) -> Grads {
    LinearGrads grads = linear_backward(x, weight, dy);
    return {grads.dx, grads.dweight, grads.dbias};
  };
  return record("linear", std::move(y), {x, weight, bias}, std::move(rule));
}

}  // namespace gradwalk
