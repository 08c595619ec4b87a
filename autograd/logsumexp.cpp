#include "autograd/logsumexp.h"

#include "autograd/record.h"
#include "tensor/detail/reduction.h"
#include "tensor/logsumexp.h"

namespace gradwalk {

Variable logsumexp(const Variable& x) { return logsumexp(x, every_axis(x.value())); }
Variable logsumexp(const Variable& x, const Axes& axes, bool keepdims) {
  Tensor y = logsumexp(x.value(), axes, keepdims);
  // Not y: rounded to float32 it would leave exp(x - y) few digits far from zero.
  auto rule = [x = Saved(x.value()), axes](const Tensor& dy) -> Grads {
    // dx_i = dy exp(x_i - y)
    return {logsumexp_backward(x, dy, axes)};
  };
  return record("logsumexp", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
