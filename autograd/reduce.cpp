#include "autograd/reduce.h"

#include "autograd/record.h"
#include "tensor/detail/reduction.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

// x's shape with the reduced axes at size 1: dy in that shape stretches back over x.
Shape kept_shape(const char* op, Shape shape, const Axes& axes) {
  const Shape original = shape;
  for (const int axis : axes) shape.set(normalize_axis(op, axis, original), 1);
  return shape;
}

Shape ones_shape(const Shape& shape) {
  Shape result = shape;
  for (int axis = 0; axis < shape.ndim(); ++axis) result.set(axis, 1);
  return result;
}

Tensor spread(const Tensor& dy, const Shape& kept, const Shape& shape) {
  return expand(reshape(dy, kept), shape);
}

Variable summed(const Variable& x, Tensor y, const Shape& kept) {
  auto rule = [kept, shape = x.shape()](const Tensor& dy) -> Grads {
    // dx = dy on every summed element
    return {spread(dy, kept, shape)};
  };
  return record("sum", std::move(y), {x}, std::move(rule));
}

Variable averaged(const Variable& x, Tensor y, const Shape& kept) {
  auto rule = [kept, shape = x.shape()](const Tensor& dy) -> Grads {
    // dx = dy / number of elements
    const double count = static_cast<double>(shape.numel()) / static_cast<double>(kept.numel());
    return {spread(dy / count, kept, shape)};
  };
  return record("mean", std::move(y), {x}, std::move(rule));
}

// For max and min: both are kept, since which elements share dy is read off by comparing them.
Variable extreme(const char* op, const Variable& x, Tensor y, const Axes& axes) {
  auto rule = [x = Saved(x.value()), y = Saved(y), axes](const Tensor& dy) -> Grads {
    // dx = dy / ties where x = y, else 0
    return {extremum_backward(x, y, dy, axes)};
  };
  return record(op, std::move(y), {x}, std::move(rule));
}

}  // namespace

Variable sum(const Variable& x) { return summed(x, sum(x.value()), ones_shape(x.shape())); }
Variable sum(const Variable& x, const Axes& axes, bool keepdims) {
  Tensor y = sum(x.value(), axes, keepdims);  // checks first
  return summed(x, std::move(y), kept_shape("sum", x.shape(), axes));
}

Variable mean(const Variable& x) { return averaged(x, mean(x.value()), ones_shape(x.shape())); }
Variable mean(const Variable& x, const Axes& axes, bool keepdims) {
  Tensor y = mean(x.value(), axes, keepdims);
  return averaged(x, std::move(y), kept_shape("mean", x.shape(), axes));
}

Variable max(const Variable& x) { return max(x, every_axis(x.value())); }
Variable max(const Variable& x, const Axes& axes, bool keepdims) {
  return extreme("max", x, max(x.value(), axes, keepdims), axes);
}

Variable min(const Variable& x) { return min(x, every_axis(x.value())); }
Variable min(const Variable& x, const Axes& axes, bool keepdims) {
  return extreme("min", x, min(x.value(), axes, keepdims), axes);
}

}  // namespace gradwalk
