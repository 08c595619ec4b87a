#include "tensor/gather.h"

#include <fmt/format.h>

#include <optional>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/reduction.h"
#include "tensor/kernels/gather.h"

namespace gradwalk {
namespace {

struct Along {
  int axis;    // in [0, ndim)
  Tensor ids;  // the indices, contiguous
};

Along check_along(const char* op, const Shape& x, const Tensor& indices, int axis) {
  check_defined(op, indices);
  axis = normalize_axis(op, axis, x);
  Shape wanted = x;
  if (indices.ndim() == x.ndim()) wanted.set(axis, indices.shape()[axis]);
  if (indices.shape() != wanted) {
    throw_shape_error(op, fmt::format("indices of x's shape but for axis {}", axis),
                      indices.shape().str(), {{"x", x}, {"indices", indices.shape()}});
  }
  return {axis, checked_ids(op, "indices", indices, x[axis], std::nullopt,
                            {{"x", x}, {"indices", indices.shape()}})};
}

struct Selection {
  int axis;     // in [0, ndim)
  Tensor ids;   // contiguous
  Shape shape;  // of the result
};

Selection check_select(const char* op, const Shape& x, int axis, const Tensor& ids) {
  check_defined(op, ids);
  Selection s{normalize_axis(op, axis, x), {}, {}};
  const int ndim = x.ndim() - 1 + ids.ndim();
  if (ndim > kMaxNdim) {
    throw_shape_error(op, fmt::format("a result of at most {} axes", kMaxNdim),
                      fmt::format("{}", ndim), {{"x", x}, {"ids", ids.shape()}});
  }
  s.ids = checked_ids(op, "ids", ids, x[s.axis], std::nullopt, {{"x", x}, {"ids", ids.shape()}});
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != s.axis) s.shape.push_back(x[i]);
    if (i != s.axis) continue;
    for (const std::int64_t size : ids.shape()) s.shape.push_back(size);
  }
  return s;
}

void check_upstream(const char* op, const Tensor& dy, const Shape& wanted) {
  check_defined(op, dy);
  if (dy.shape() != wanted) {
    throw_other_shape(op, "dy", dy.shape(), wanted, {{"dy", dy.shape()}});
  }
}

}  // namespace

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis) {
  constexpr const char* kOp = "take_along_axis";
  check_defined(kOp, x);
  const Along along = check_along(kOp, x.shape(), indices, axis);
  Tensor y(kOp, indices.shape(), x.dtype());
  const Reduction from = reduction(kOp, x, along.axis);
  const Reduction ids = reduction(kOp, along.ids, along.axis);
  const Reduction to = reduction(kOp, y, along.axis);
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels::take_along_axis(from.plan, x.data<T>(), ids.plan, along.ids.data<std::int64_t>(),
                             to.plan, y.mutable_data<T>());
  });
  return y;
}

Tensor take_along_axis_backward(const Shape& shape, const Tensor& indices, int axis,
                                const Tensor& dy) {
  constexpr const char* kOp = "take_along_axis_backward";
  const Along along = check_along(kOp, shape, indices, axis);
  check_upstream(kOp, dy, indices.shape());
  return visit_float(kOp, dy, [&](auto zero) {
    using T = decltype(zero);
    Tensor dx(kOp, shape, dy.dtype());
    const Reduction from = reduction(kOp, dy, along.axis);
    const Reduction ids = reduction(kOp, along.ids, along.axis);
    const Reduction to = reduction(kOp, dx, along.axis);
    kernels::take_along_axis_backward(from.plan, dy.data<T>(), ids.plan,
                                      along.ids.data<std::int64_t>(), to.plan,
                                      dx.mutable_data<T>());
    return dx;
  });
}

Tensor index_select(const Tensor& x, int axis, const Tensor& ids) {
  check_defined("index_select", x);
  const Selection s = check_select("index_select", x.shape(), axis, ids);
  Tensor y("index_select", s.shape, x.dtype());
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels::index_select(x.shape(), x.strides(), s.axis, x.data<T>(), s.ids.numel(),
                          s.ids.data<std::int64_t>(), y.mutable_data<T>());
  });
  return y;
}

Tensor index_select_backward(const Shape& shape, int axis, const Tensor& ids, const Tensor& dy) {
  constexpr const char* kOp = "index_select_backward";
  const Selection s = check_select(kOp, shape, axis, ids);
  check_upstream(kOp, dy, s.shape);
  return visit_float(kOp, dy, [&](auto zero) {
    using T = decltype(zero);
    const Tensor upstream = contiguous(dy);
    Tensor dx(kOp, shape, dy.dtype());
    kernels::index_select_backward(shape, s.axis, s.ids.numel(), s.ids.data<std::int64_t>(),
                                   upstream.data<T>(), dx.mutable_data<T>());
    return dx;
  });
}

Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype) {
  check_defined("one_hot", ids);
  if (classes < 0) {
    throw_argument_error("one_hot", "classes >= 0", fmt::format("{}", classes),
                         {{"ids", ids.shape()}});
  }
  check_room_for_axis("one_hot", "ids", ids);
  const Tensor list =
      checked_ids("one_hot", "ids", ids, classes, std::nullopt, {{"ids", ids.shape()}});
  Shape shape = ids.shape();
  shape.push_back(classes);
  Tensor y("one_hot", shape, dtype);
  visit_dtype(dtype, [&](auto zero) {
    kernels::one_hot(list.numel(), list.data<std::int64_t>(), classes,
                     y.mutable_data<decltype(zero)>());
  });
  return y;
}

}  // namespace gradwalk
