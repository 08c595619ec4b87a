#include "autograd/linear.h"

#include "autograd/record.h"
#include "tensor/linear.h"

namespace gradwalk {

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  Tensor y = linear(x.value(), weight.value(), bias.value());
  auto rule = [x = Saved(x.value()), weight = Saved(weight.value()), has_bias = bias.defined()](
                  const Tensor& dy, Needs needs) -> Grads {
    // dx = dy weight; dweight = dy^T x and dbias = dy, summed over the leading axes
    LinearGrads grads = linear_backward(x, weight, dy, {needs[0], needs[1], has_bias && needs[2]});
    if (!has_bias) return {std::move(grads.dx), std::move(grads.dweight)};
    return {std::move(grads.dx), std::move(grads.dweight), std::move(grads.dbias)};
  };
  if (!bias.defined()) return record("linear", std::move(y), {x, weight}, std::move(rule));
  return record("linear", std::move(y), {x, weight, bias}, std::move(rule));
}

}  // namespace gradwalk
