#include "tensor/detail/reduction.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"

namespace gradwalk {

Reduction reduction(const char* op, const Tensor& x, const Axes& axes, bool keepdims) {
  check_defined(op, x);
  std::array<bool, kMaxNdim> reduced{};
  for (const int named : axes) {
    const auto axis = static_cast<std::size_t>(normalize_axis(op, named, x.shape()));
    if (reduced[axis]) {
      throw_shape_error(op, "each axis once", fmt::format("axis {} twice", named),
                        {{"x", x.shape()}});
    }
    reduced[axis] = true;
  }
  Reduction r;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t size = x.shape()[axis];
    Shape& part = reduced[i] ? r.plan.inner : r.plan.outer;
    Strides& strides = reduced[i] ? r.plan.inner_strides : r.plan.outer_strides;
    strides[static_cast<std::size_t>(part.ndim())] = x.strides()[i];
    part.push_back(size);
    if (!reduced[i]) r.shape.push_back(size);
    if (reduced[i] && keepdims) r.shape.push_back(1);
  }
  return r;
}

Axes every_axis(const Tensor& x) {
  Axes axes;
  for (int axis = 0; axis < x.ndim(); ++axis) axes.push_back(axis);
  return axes;
}

Tensor upstream_per_slice(const char* op, const Tensor& x, const Tensor& dy, const Reduction& r) {
  check_defined(op, dy);
  check_same_dtype(op, "x", x, "dy", dy);
  if (dy.numel() != r.plan.outer.numel()) {
    throw_shape_error(op, fmt::format("dy of {} elements", r.plan.outer.numel()),
                      fmt::format("{}", dy.numel()), {{"x", x.shape()}, {"dy", dy.shape()}});
  }
  return contiguous(dy);
}

}  // namespace gradwalk
