#include "autograd/rope.h"

#include "autograd/record.h"
#include "tensor/create.h"

namespace gradwalk {

Variable rope(const Variable& x, const Tensor& positions, const RopeOptions& options) {
  Tensor y = rope(x.value(), positions, options);
  auto rule = [positions = Saved(positions), options](const Tensor& dy) -> Grads {
    // dx is dy turned back, by the negative angles.
    return {rope_backward(dy, positions, options)};
  };
  return record("rope", std::move(y), {x}, std::move(rule));
}

Variable rope(const Variable& x, std::int64_t start, const RopeOptions& options) {
  Tensor y = rope(x.value(), start, options);
  auto rule = [start, options](const Tensor& dy) -> Grads {
    return {rope_backward(dy, arange(start, start + dy.shape()[-2]), options)};
  };
  return record("rope", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
