#include "tensor/reduce.h"

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/reduction.h"
#include "tensor/kernels/reduce.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

Tensor summed(const char* op, const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction(op, x, axes, keepdims);
  return visit_number(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, r.shape, x.dtype());
    kernels::sum(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

// Only the reduced axes matter: an empty result has nothing to choose.
void check_choice(const char* op, const Tensor& x, const Reduction& r) {
  if (r.plan.inner.numel() == 0 && r.shape.numel() > 0) {
    throw_shape_error(op, "at least one element to choose from", "none", {{"x", x.shape()}});
  }
}

// What max, min and argmax share. `kernel` is called with the plan and both operands.
template <class Kernel>
Tensor extreme(const char* op, const Tensor& x, const Axes& axes, bool keepdims, Kernel kernel) {
  const Reduction r = reduction(op, x, axes, keepdims);
  check_choice(op, x, r);
  return visit_number(op, x, [&](auto zero) {
    using T = decltype(zero);
    return kernel(r, x.data<T>());
  });
}

Tensor argmax_over(const Tensor& x, const Axes& axes, bool keepdims) {
  return extreme("argmax", x, axes, keepdims, [](const Reduction& r, const auto* data) {
    Tensor y("argmax", r.shape, DType::kInt64);
    kernels::argmax(r.plan, data, y.mutable_data<std::int64_t>());
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
  return extreme("max", x, axes, keepdims, [&x]<class T>(const Reduction& r, const T* data) {
    Tensor y("max", r.shape, x.dtype());
    kernels::max(r.plan, data, y.mutable_data<T>());
    return y;
  });
}

Tensor min(const Tensor& x) { return min(x, every_axis(x)); }
Tensor min(const Tensor& x, const Axes& axes, bool keepdims) {
  return extreme("min", x, axes, keepdims, [&x]<class T>(const Reduction& r, const T* data) {
    Tensor y("min", r.shape, x.dtype());
    kernels::min(r.plan, data, y.mutable_data<T>());
    return y;
  });
}

Tensor extremum_backward(const Tensor& x, const Tensor& y, const Tensor& dy, const Axes& axes) {
  constexpr const char* kOp = "extremum_backward";
  const Reduction from = reduction(kOp, x, axes);
  const Tensor upstream = upstream_per_slice(kOp, x, dy, from);
  const Tensor extremes = upstream_per_slice(kOp, x, y, from);
  return visit_float(kOp, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor dx(kOp, x.shape(), x.dtype());
    const Reduction to = reduction(kOp, dx, axes);
    kernels::share_among_ties(from.plan, x.data<T>(), extremes.data<T>(), upstream.data<T>(),
                              to.plan, dx.mutable_data<T>());
    return dx;
  });
}

Tensor argmax(const Tensor& x) { return argmax_over(x, every_axis(x), false); }
Tensor argmax(const Tensor& x, int axis, bool keepdims) { return argmax_over(x, axis, keepdims); }

Tensor sum_to(Tensor x, const Shape& shape) {
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
