#include "tensor/elementwise.h"

#include "tensor/detail/map.h"
#include "tensor/kernels/elementwise.h"

namespace gradwalk {

Tensor add(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers>("add", a, b, [](auto... args) { kernels::add(args...); });
}
Tensor sub(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers>("sub", a, b, [](auto... args) { kernels::sub(args...); });
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return map_binary<Numbers>("mul", a, b, [](auto... args) { kernels::mul(args...); });
}
Tensor div(const Tensor& a, const Tensor& b) {
  return map_binary<Floats>("div", a, b, [](auto... args) { kernels::div(args...); });
}

Tensor neg(const Tensor& x) {
  return map_unary<Numbers>("neg", x, [](auto... args) { kernels::neg(args...); });
}
Tensor exp(const Tensor& x) {
  return map_unary<Floats>("exp", x, [](auto... args) { kernels::exp(args...); });
}
Tensor log(const Tensor& x) {
  return map_unary<Floats>("log", x, [](auto... args) { kernels::log(args...); });
}
Tensor sqrt(const Tensor& x) {
  return map_unary<Floats>("sqrt", x, [](auto... args) { kernels::sqrt(args...); });
}

Tensor operator+(const Tensor& a, double b) { return add(a, number_like("add", a, b)); }
Tensor operator-(const Tensor& a, double b) { return sub(a, number_like("sub", a, b)); }
Tensor operator*(const Tensor& a, double b) { return mul(a, number_like("mul", a, b)); }
Tensor operator/(const Tensor& a, double b) { return div(a, number_like("div", a, b)); }
Tensor operator+(double a, const Tensor& b) { return add(number_like("add", b, a), b); }
Tensor operator-(double a, const Tensor& b) { return sub(number_like("sub", b, a), b); }
Tensor operator*(double a, const Tensor& b) { return mul(number_like("mul", b, a), b); }
Tensor operator/(double a, const Tensor& b) { return div(number_like("div", b, a), b); }

}  // namespace gradwalk
