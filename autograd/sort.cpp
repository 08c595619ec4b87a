#include "autograd/sort.h"

#include "autograd/record.h"
#include "tensor/gather.h"
#include "tensor/sort.h"

namespace gradwalk {
namespace {

// values = take_along_axis(x, indices, axis), so the way back is that op's, too.
SortedVariable recorded(const char* op, const Variable& x, int axis, Sorted sorted) {
  auto rule = [shape = x.shape(), axis,
               indices = Saved(sorted.indices)](const Tensor& dy) -> Grads {
    // dx[i, indices[i, j, k], k] = dy[i, j, k], 0 for what was left out
    return {take_along_axis_backward(shape, indices, axis, dy)};
  };
  Variable values = record(op, std::move(sorted.values), {x}, std::move(rule));
  return {std::move(values), std::move(sorted.indices)};
}

}  // namespace

SortedVariable sort(const Variable& x, int axis, bool descending) {
  return recorded("sort", x, axis, sort(x.value(), axis, descending));
}

SortedVariable topk(const Variable& x, std::int64_t k, int axis, bool largest) {
  return recorded("topk", x, axis, topk(x.value(), k, axis, largest));
}

}  // namespace gradwalk
