#include "tensor/minmax.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tensor/detail/checks.h"
#include "tensor/detail/map.h"
#include "tensor/kernels/minmax.h"

namespace gradwalk {
namespace {

void check_bounds(const char* op, const Tensor& x, double low, double high) {
  check_defined(op, x);
  check_low_high(op, low, high, {{"x", x.shape()}});
}

// A bound as an element; one that int64 cannot reach is its last number.
template <class T>
T bound(const char* op, const Tensor& x, double value) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isinf(value)) {
      return value < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
    number_like(op, x, value);
  }
  return static_cast<T>(value);
}

}  // namespace

Tensor abs(const Tensor& x) {
  return map_unary<Numbers>("abs", x, [](auto... args) { kernels::abs(args...); });
}
Tensor abs_backward(const Tensor& x, const Tensor& dy) {
  return map_backward<Floats>("abs_backward", "x", x, dy,
                              [](auto... args) { kernels::abs_backward(args...); });
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers>("maximum", a, b, [](auto... args) { kernels::maximum(args...); });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers>("minimum", a, b, [](auto... args) { kernels::minimum(args...); });
}

Tensor maximum_backward(const Tensor& a, const Tensor& b, const Tensor& dy) {
  constexpr const char* kOp = "maximum_backward";
  for (const Tensor* operand : {&a, &b, &dy}) check_defined(kOp, *operand);
  const Operand named[] = {{"a", a.shape()}, {"b", b.shape()}, {"dy", dy.shape()}};
  check_same_dtype(kOp, named[0], a.dtype(), named[1], b.dtype());
  check_same_dtype(kOp, named[0], a.dtype(), named[2], dy.dtype());
  check_float(kOp, dy.dtype(), {named[0], named[1], named[2]});
  const Shape shape = broadcast_shapes(kOp, a.shape(), b.shape());
  if (dy.shape() != shape) {
    throw_shape_error(kOp, "dy of the broadcast shape " + shape.str(), dy.shape().str(),
                      {named[0], named[1], named[2]});
  }
  const Tensor wide_a = expand(a, shape);
  const Tensor wide_b = expand(b, shape);
  Tensor da(kOp, shape, dy.dtype());
  Floats::visit(dy.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels::maximum_backward(shape, view<T>(wide_a), view<T>(wide_b), view<T>(dy),
                              da.mutable_data<T>());
  });
  return da;
}

Tensor clip(const Tensor& x, double low, double high) {
  check_bounds("clip", x, low, high);
  return map_unary<Numbers>("clip", x, [&](const Shape& shape, auto from, auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    kernels::clip(shape, from, bound<T>("clip", x, low), bound<T>("clip", x, high), y);
  });
}
Tensor clip_backward(const Tensor& x, const Tensor& dy, double low, double high) {
  check_bounds("clip_backward", x, low, high);
  return map_backward<Floats>("clip_backward", "x", x, dy,
                              [&](const Shape& shape, auto from, auto upstream, auto* dx) {
                                using T = std::remove_pointer_t<decltype(dx)>;
                                kernels::clip_backward(shape, from, upstream, static_cast<T>(low),
                                                       static_cast<T>(high), dx);
                              });
}

}  // namespace gradwalk
