#include "autograd/power.h"

#include "autograd/record.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/power.h"
#include "tensor/reduce.h"
#include "tensor/where.h"

namespace gradwalk {

namespace {

// The rules are written with existing values and have no kernels of their own: powers are rare.

// d(a^b) / da
Tensor base_slope(const Tensor& a, const Tensor& b) {
  return where(equal(b, 0.0), 0.0, b * pow(a, b - 1.0));  // and not 0 * 0^-1
}

// d(a^b) / db = y log a, at a = 0 its limit: the product would be 0 * -inf.
Tensor exponent_slope(const Tensor& a, const Tensor& b, const Tensor& y) {
  const Tensor vanishes = logical_and(equal(a, 0.0), greater_equal(b, 0.0));
  return where(vanishes, 0.0, y * log(a));
}

}  // namespace

Variable pow(const Variable& x, double exponent) {
  Tensor y = pow(x.value(), exponent);
  auto rule = [x = Saved(x.value()), exponent](const Tensor& dy) -> Grads {
    // dx = dy c x^(c - 1)
    if (exponent == 0) return {zeros(dy.shape(), dy.dtype())};
    return {mul(dy, pow(x, exponent - 1) * exponent)};
  };
  return record("pow", std::move(y), {x}, std::move(rule));
}

Variable pow(const Variable& a, const Variable& b) {
  Tensor y = pow(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value()),
               y = Saved(y)](const Tensor& dy) -> Grads {
    // da = dy b a^(b - 1), db = dy y log a
    return {sum_to(mul(dy, base_slope(a, b)), a.get().shape()),
            sum_to(mul(dy, exponent_slope(a, b, y)), b.get().shape())};
  };
  return record("pow", std::move(y), {a, b}, std::move(rule));
}

}  // namespace gradwalk
