#include "tensor/reduce.h"

#include <fmt/format.h>

#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/reduce.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

// x seen with its kept axes in front and its reduced axes behind, and the shapes that go with it.
struct Reduction {
  kernels::ReductionPlan plan;
  Shape shape;  // of the result
};

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

// All axes of x.
Axes every_axis(const Tensor& x) {
  Axes axes;
  for (int axis = 0; axis < x.ndim(); ++axis) axes.push_back(axis);
  return axes;
}

Tensor summed(const char* op, const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction(op, x, axes, keepdims);
  return visit_number(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, r.shape, x.dtype());
    kernels::sum(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

}  // namespace

Tensor sum(const Tensor& x) { return summed("sum", x, every_axis(x), false); }
Tensor sum(const Tensor& x, const Axes& axes, bool keepdims) {
  return summed("sum", x, axes, keepdims);
}

Tensor mean(const Tensor& x) { return mean(x, every_axis(x)); }
Tensor mean(const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction("mean", x, axes, keepdims);
  return visit_float("mean", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("mean", r.shape, x.dtype());
    kernels::mean(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

Tensor max(const Tensor& x) { return max(x, every_axis(x)); }
Tensor max(const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction("max", x, axes, keepdims);
  if (r.plan.inner.numel() == 0 && r.shape.numel() > 0) {
    throw_shape_error("max", "at least one element to choose from", "none", {{"x", x.shape()}});
  }
  return visit_number("max", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("max", r.shape, x.dtype());
    kernels::max(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_defined("sum_to", x);
  if (x.shape() == shape) return x;
  bool valid = shape.ndim() <= x.ndim();
  Axes axes;
  for (int axis = 1; valid && axis <= x.ndim(); ++axis) {
    const std::int64_t size = x.shape()[-axis];
    const std::int64_t wanted = axis <= shape.ndim() ? shape[-axis] : 1;
    valid = wanted == size || wanted == 1;
    if (axis > shape.ndim() || wanted != size) axes.push_back(-axis);
  }
  if (!valid) {
    throw_shape_error("sum_to", "a shape that broadcasts to x.shape", shape.str(),
                      {{"x", x.shape()}});
  }
  return reshape(summed("sum_to", x, axes, /*keepdims=*/true), shape);
}

}  // namespace gradwalk
