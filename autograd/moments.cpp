#include "autograd/moments.h"

#include "autograd/record.h"
#include "tensor/detail/reduction.h"
#include "tensor/moments.h"

namespace gradwalk {

// x alone is kept: the mean and the length are had again in one pass, in float64.

Variable var(const Variable& x) { return var(x, every_axis(x.value())); }
Variable var(const Variable& x, const Axes& axes, bool keepdims, std::int64_t correction) {
  Tensor y = var(x.value(), axes, keepdims, correction);
  auto rule = [x = Saved(x.value()), axes, correction](const Tensor& dy) -> Grads {
    // dx_i = dy 2 (x_i - mean) / (N - correction)
    return {var_backward(x, dy, axes, correction)};
  };
  return record("var", std::move(y), {x}, std::move(rule));
}

Variable norm(const Variable& x) { return norm(x, every_axis(x.value())); }
Variable norm(const Variable& x, const Axes& axes, bool keepdims) {
  Tensor y = norm(x.value(), axes, keepdims);
  auto rule = [x = Saved(x.value()), axes](const Tensor& dy) -> Grads {
    // dx_i = dy x_i / y
    return {norm_backward(x, dy, axes)};
  };
  return record("norm", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
