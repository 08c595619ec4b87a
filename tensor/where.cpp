#include "tensor/where.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/map.h"
#include "tensor/kernels/where.h"

namespace gradwalk {
namespace {

// broadcast_shapes for three operands at once, so that the error names them all.
Shape broadcast_three(const Operand& cond, const Operand& a, const Operand& b) {
  const Shape* const shapes[] = {&cond.shape, &a.shape, &b.shape};
  const auto longest = std::max_element(
      std::begin(shapes), std::end(shapes),
      [](const Shape* left, const Shape* right) { return left->ndim() < right->ndim(); });
  Shape out = **longest;
  for (int axis = 1; axis <= out.ndim(); ++axis) {
    std::int64_t size = 1;
    for (const Shape* shape : shapes) {
      const std::int64_t own = axis <= shape->ndim() ? (*shape)[-axis] : 1;
      if (own != 1 && size != 1 && own != size) {
        throw_shape_error("where", "sizes that are equal or 1, aligned at the last axis",
                          fmt::format("{} and {} at axis {}", size, own, -axis), {cond, a, b});
      }
      if (own != 1) size = own;
    }
    out.set(-axis, size);
  }
  return out;
}

Tensor chosen(const char* op, const Shape& shape, const Tensor& cond, const Tensor& a,
              const Tensor& b) {
  const Tensor wide_cond = expand(cond, shape);
  const Tensor wide_a = expand(a, shape);
  const Tensor wide_b = expand(b, shape);
  Tensor y(op, shape, a.dtype());
  visit_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels::where(shape, view<bool>(wide_cond), view<T>(wide_a), view<T>(wide_b),
                   y.mutable_data<T>());
  });
  return y;
}

}  // namespace

Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  for (const Tensor* operand : {&cond, &a, &b}) check_defined("where", *operand);
  const Operand named[] = {{"cond", cond.shape()}, {"a", a.shape()}, {"b", b.shape()}};
  if (cond.dtype() != DType::kBool) {
    throw_argument_error("where", "a bool cond", name(cond.dtype()),
                         {named[0], named[1], named[2]});
  }
  check_same_dtype("where", named[1], a.dtype(), named[2], b.dtype());
  return chosen("where", broadcast_three(named[0], named[1], named[2]), cond, a, b);
}

Tensor where(const Tensor& cond, const Tensor& a, double b) {
  return where(cond, a, number_like("where", a, b));
}
Tensor where(const Tensor& cond, double a, const Tensor& b) {
  return where(cond, number_like("where", b, a), b);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_defined("masked_fill", x);
  check_defined("masked_fill", mask);
  if (mask.dtype() != DType::kBool) {
    throw_argument_error("masked_fill", "a bool mask", name(mask.dtype()),
                         {{"x", x.shape()}, {"mask", mask.shape()}});
  }
  if (!can_expand(mask.shape(), x.shape())) {
    throw_shape_error("masked_fill", "a mask that broadcasts to x.shape", mask.shape().str(),
                      {{"x", x.shape()}, {"mask", mask.shape()}});
  }
  return chosen("masked_fill", x.shape(), mask, number_like("masked_fill", x, value), x);
}

}  // namespace gradwalk
