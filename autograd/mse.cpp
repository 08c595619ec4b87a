#include "autograd/mse.h"

#include "autograd/record.h"
#include "tensor/elementwise.h"

namespace gradwalk {

Variable mse(const Variable& prediction, const Variable& target, LossReduction reduction) {
  Tensor loss = mse(prediction.value(), target.value(), reduction);
  // Both inputs are kept: they are there already, their difference would be a tensor more.
  auto rule = [prediction = Saved(prediction.value()), target = Saved(target.value()), reduction,
               wants_target = target.requires_grad()](const Tensor& dy) -> Grads {
    // dprediction = dy 2 (prediction - target) / n (for a sum: / 1), dtarget = -dprediction
    const Tensor dprediction = mse_backward(prediction, target, dy, reduction);
    return {dprediction, wants_target ? neg(dprediction) : Tensor()};
  };
  return record("mse", std::move(loss), {prediction, target}, std::move(rule));
}

}  // namespace gradwalk
