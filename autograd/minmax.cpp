#include "autograd/minmax.h"

#include "autograd/record.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"

namespace gradwalk {

Variable abs(const Variable& x) {
  Tensor y = abs(x.value());
  // dx = dy sign(x)
  auto rule = [x = Saved(x.value())](const Tensor& dy) -> Grads { return {abs_backward(x, dy)}; };
  return record("abs", std::move(y), {x}, std::move(rule));
}

Variable maximum(const Variable& a, const Variable& b) {
  Tensor y = maximum(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy) -> Grads {
    // da = dy where a > b, dy / 2 where a = b, else 0; db the other way round
    return {sum_to(maximum_backward(a, b, dy), a.get().shape()),
            sum_to(maximum_backward(b, a, dy), b.get().shape())};
  };
  return record("maximum", std::move(y), {a, b}, std::move(rule));
}

Variable minimum(const Variable& a, const Variable& b) {
  Tensor y = minimum(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy) -> Grads {
    // a is the smaller one where b is the larger.
    return {sum_to(maximum_backward(b, a, dy), a.get().shape()),
            sum_to(maximum_backward(a, b, dy), b.get().shape())};
  };
  return record("minimum", std::move(y), {a, b}, std::move(rule));
}

Variable clip(const Variable& x, double low, double high) {
  Tensor y = clip(x.value(), low, high);
  auto rule = [x = Saved(x.value()), low, high](const Tensor& dy) -> Grads {
    // dx = dy where low <= x <= high, else 0
    return {clip_backward(x, dy, low, high)};
  };
  return record("clip", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
