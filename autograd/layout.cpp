#include "autograd/layout.h"

#include "autograd/record.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

// For ops that keep every element in row-major order.
Variable reshaped(const char* op, const Variable& x, Tensor y) {
  // dx = dy in x's shape
  auto rule = [shape = x.shape()](const Tensor& dy) -> Grads { return {reshape(dy, shape)}; };
  return record(op, std::move(y), {x}, std::move(rule));
}

// For ops that take a part: `place` finds that part in a tensor of x's shape.
template <class Place>
Variable part(const char* op, const Variable& x, Place place) {
  auto rule = [shape = x.shape(), dtype = x.value().dtype(), place](const Tensor& dy) -> Grads {
    // dx[place] = dy, 0 elsewhere
    const Tensor dx = zeros(shape, dtype);
    copy_into(place(dx), dy);
    return {dx};
  };
  return record(op, place(x.value()), {x}, std::move(rule));
}

}  // namespace

Variable transpose(const Variable& x) {
  // dx = dy^T
  return record("transpose", transpose(x.value()), {x},
                [](const Tensor& dy) -> Grads { return {transpose(dy)}; });
}

Variable permute(const Variable& x, std::initializer_list<int> axes) {
  Tensor y = permute(x.value(), axes);
  std::vector<int> inverse(axes.size());
  int to = 0;
  for (const int axis : axes) {
    inverse[static_cast<std::size_t>(normalize_axis("permute", axis, x.shape()))] = to++;
  }
  auto rule = [inverse = std::move(inverse)](const Tensor& dy) -> Grads {
    // dx = dy with the axes put back
    return {permute(dy, std::span<const int>(inverse))};
  };
  return record("permute", std::move(y), {x}, std::move(rule));
}

Variable reshape(const Variable& x, const Shape& shape) {
  return reshaped("reshape", x, reshape(x.value(), shape));
}

Variable expand(const Variable& x, const Shape& shape) {
  // dx = dy summed over the stretched axes
  auto rule = [original = x.shape()](const Tensor& dy) -> Grads { return {sum_to(dy, original)}; };
  return record("expand", expand(x.value(), shape), {x}, std::move(rule));
}

Variable slice(const Variable& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step) {
  return part("slice", x,
              [=](const Tensor& whole) { return slice(whole, axis, begin, end, step); });
}

Variable select(const Variable& x, int axis, std::int64_t index) {
  return part("select", x, [=](const Tensor& whole) { return select(whole, axis, index); });
}

Variable squeeze(const Variable& x, int axis) {
  return reshaped("squeeze", x, squeeze(x.value(), axis));
}

Variable unsqueeze(const Variable& x, int axis) {
  return reshaped("unsqueeze", x, unsqueeze(x.value(), axis));
}

}  // namespace gradwalk
