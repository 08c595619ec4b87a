#include "tensor/power.h"

#include "tensor/detail/map.h"
#include "tensor/kernels/power.h"

namespace gradwalk {

Tensor pow(const Tensor& x, double exponent) {
  return map_unary<Floats>("pow", x, [exponent](const Shape& shape, auto from, auto* y) {
    kernels::pow(shape, from, exponent, y);
  });
}

Tensor pow(const Tensor& a, const Tensor& b) {
  return map_binary<Floats>("pow", a, b, [](auto... args) { kernels::pow(args...); });
}

}  // namespace gradwalk
