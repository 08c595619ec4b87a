#include "autograd/join.h"

#include "autograd/record.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

std::vector<Tensor> values_of(std::span<const Variable> parts) {
  std::vector<Tensor> values;
  values.reserve(parts.size());
  for (const Variable& part : parts) values.push_back(part.value());
  return values;
}

Variable joined(const char* op, Tensor y, std::span<const Variable> parts, auto rule) {
  const std::vector<Input> inputs(parts.begin(), parts.end());
  return record(op, std::move(y), std::span<const Input>(inputs), std::move(rule));
}

// One variable per piece. Each has a rule of its own, which knows where its piece stood.
std::vector<Variable> pieces_of(const Variable& x, int axis, std::vector<Tensor> pieces) {
  std::vector<Variable> result;
  result.reserve(pieces.size());
  std::int64_t begin = 0;
  for (Tensor& piece : pieces) {
    const std::int64_t end = begin + piece.shape()[axis];
    auto rule = [shape = x.shape(), dtype = x.value().dtype(), axis, begin,
                 end](const Tensor& dy) -> Grads {
      // dx[begin : end] = dy, 0 elsewhere
      const Tensor dx = zeros(shape, dtype);
      copy_into(slice(dx, axis, begin, end), dy);
      return {dx};
    };
    result.push_back(record("split", std::move(piece), {x}, std::move(rule)));
    begin = end;
  }
  return result;
}

}  // namespace

Variable concat(std::initializer_list<Variable> parts, int axis) {
  return concat(std::span<const Variable>(parts.begin(), parts.size()), axis);
}

Variable concat(std::span<const Variable> parts, int axis) {
  Tensor y = concat(std::span<const Tensor>(values_of(parts)), axis);
  std::vector<std::int64_t> sizes;
  for (const Variable& part : parts) sizes.push_back(part.shape()[axis]);
  auto rule = [sizes = std::move(sizes), axis](const Tensor& dy) -> Grads {
    Grads grads;
    // Each part gets the piece of dy where it stood.
    for (Tensor& piece : split(dy, axis, std::span<const std::int64_t>(sizes))) {
      grads.push_back(std::move(piece));
    }
    return grads;
  };
  return joined("concat", std::move(y), parts, std::move(rule));
}

Variable stack(std::initializer_list<Variable> parts, int axis) {
  return stack(std::span<const Variable>(parts.begin(), parts.size()), axis);
}

Variable stack(std::span<const Variable> parts, int axis) {
  Tensor y = stack(std::span<const Tensor>(values_of(parts)), axis);
  auto rule = [axis](const Tensor& dy) -> Grads {
    Grads grads;
    // dparts[i] = dy[..., i, ...]
    const std::int64_t count = dy.shape()[axis];
    for (std::int64_t i = 0; i < count; ++i) grads.push_back(select(dy, axis, i));
    return grads;
  };
  return joined("stack", std::move(y), parts, std::move(rule));
}

std::vector<Variable> split(const Variable& x, int axis,
                            std::initializer_list<std::int64_t> sizes) {
  return pieces_of(x, axis, split(x.value(), axis, sizes));
}
std::vector<Variable> split(const Variable& x, int axis, std::span<const std::int64_t> sizes) {
  return pieces_of(x, axis, split(x.value(), axis, sizes));
}
std::vector<Variable> split(const Variable& x, int axis, std::int64_t parts) {
  return pieces_of(x, axis, split(x.value(), axis, parts));
}

}  // namespace gradwalk
