#include "autograd/gather.h"

#include "autograd/record.h"
#include "tensor/gather.h"

namespace gradwalk {

Variable take_along_axis(const Variable& x, const Tensor& indices, int axis) {
  Tensor y = take_along_axis(x.value(), indices, axis);
  auto rule = [shape = x.shape(), indices = Saved(indices), axis](const Tensor& dy) -> Grads {
    // dx[i, indices[i, j, k], k] += dy[i, j, k]
    return {take_along_axis_backward(shape, indices, axis, dy)};
  };
  return record("take_along_axis", std::move(y), {x}, std::move(rule));
}

Variable index_select(const Variable& x, int axis, const Tensor& ids) {
  Tensor y = index_select(x.value(), axis, ids);
  auto rule = [shape = x.shape(), axis, ids = Saved(ids)](const Tensor& dy) -> Grads {
    // dx[i, ids[j], k] += dy[i, j, k]
    return {index_select_backward(shape, axis, ids, dy)};
  };
  return record("index_select", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
