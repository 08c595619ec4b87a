#include "tensor/compare.h"

#include "tensor/detail/map.h"
#include "tensor/kernels/compare.h"

namespace gradwalk {

Tensor equal(const Tensor& a, const Tensor& b) {
  return map_binary<AnyType, bool>("equal", a, b, [](auto... args) { kernels::equal(args...); });
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return map_binary<AnyType, bool>("not_equal", a, b,
                                   [](auto... args) { kernels::not_equal(args...); });
}
Tensor less(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers, bool>("less", a, b, [](auto... args) { kernels::less(args...); });
}
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers, bool>("less_equal", a, b,
                                   [](auto... args) { kernels::less_equal(args...); });
}
// a > b is b < a, also for NaN.
Tensor greater(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers, bool>("greater", a, b,
                                   [](const Shape& shape, auto left, auto right, bool* y) {
                                     kernels::less(shape, right, left, y);
                                   });
}
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers, bool>("greater_equal", a, b,
                                   [](const Shape& shape, auto left, auto right, bool* y) {
                                     kernels::less_equal(shape, right, left, y);
                                   });
}

Tensor equal(const Tensor& x, double number) { return equal(x, number_like("equal", x, number)); }
Tensor not_equal(const Tensor& x, double number) {
  return not_equal(x, number_like("not_equal", x, number));
}
Tensor less(const Tensor& x, double number) { return less(x, number_like("less", x, number)); }
Tensor less_equal(const Tensor& x, double number) {
  return less_equal(x, number_like("less_equal", x, number));
}
Tensor greater(const Tensor& x, double number) {
  return greater(x, number_like("greater", x, number));
}
Tensor greater_equal(const Tensor& x, double number) {
  return greater_equal(x, number_like("greater_equal", x, number));
}

Tensor isnan(const Tensor& x) {
  return map_unary<Floats, bool>("isnan", x, [](auto... args) { kernels::isnan(args...); });
}
Tensor isinf(const Tensor& x) {
  return map_unary<Floats, bool>("isinf", x, [](auto... args) { kernels::isinf(args...); });
}
Tensor isfinite(const Tensor& x) {
  return map_unary<Floats, bool>("isfinite", x, [](auto... args) { kernels::isfinite(args...); });
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return map_binary<Bools>("logical_and", a, b,
                           [](auto... args) { kernels::logical_and(args...); });
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return map_binary<Bools>("logical_or", a, b, [](auto... args) { kernels::logical_or(args...); });
}
Tensor logical_not(const Tensor& x) {
  return map_unary<Bools>("logical_not", x, [](auto... args) { kernels::logical_not(args...); });
}

}  // namespace gradwalk
