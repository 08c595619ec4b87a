#include "tensor/linear.h"

#include <fmt/format.h>

#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/linear.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

void check(const char* op, const Tensor& x, const Tensor& weight) {
  check_defined(op, x);
  check_defined(op, weight);
  const Operand x_operand{"x", x.shape()};
  const Operand weight_operand{"weight", weight.shape()};
  check_same_dtype(op, x_operand, x.dtype(), weight_operand, weight.dtype());
  if (!is_float(x.dtype())) {
    throw_argument_error(op, "float32 or float64", name(x.dtype()), {x_operand, weight_operand});
  }
  if (x.ndim() == 0 || weight.ndim() != 2) {
    throw_shape_error(op, "x.ndim >= 1 and weight.ndim == 2",
                      fmt::format("{} and {}", x.ndim(), weight.ndim()),
                      {x_operand, weight_operand});
  }
  if (x.shape()[-1] != weight.shape()[1]) {
    throw_shape_error(op, "x.shape[-1] == weight.shape[1]",
                      fmt::format("{} and {}", x.shape()[-1], weight.shape()[1]),
                      {x_operand, weight_operand});
  }
}

void check_bias(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_same_dtype("linear", {"x", x.shape()}, x.dtype(), {"bias", bias.shape()}, bias.dtype());
  const Shape wanted{weight.shape()[0]};
  if (bias.shape() != wanted) {
    throw_shape_error("linear", "bias.shape == " + wanted.str(), bias.shape().str(),
                      {{"weight", weight.shape()}, {"bias", bias.shape()}});
  }
}

// [..., K] as [M, K]: one product instead of one for each leading index.
Tensor as_rows(const Tensor& x) {
  const Shape leading(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 1));
  return reshape(x, {leading.numel(), x.shape()[-1]});
}

template <class T>
kernels::MatrixView<T> matrix_view(const Tensor& x) {
  return {x.data<T>(), x.strides()[0], x.strides()[1]};
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check("linear", x, weight);
  if (bias.defined()) check_bias(x, weight, bias);
  Shape shape = x.shape();
  shape.set(-1, weight.shape()[0]);
  return visit_float("linear", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("linear", shape, x.dtype());
    if (y.numel() == 0) return y;
    const Tensor rows = as_rows(x);
    const kernels::MatmulSizes sizes{rows.shape()[0], weight.shape()[0], weight.shape()[1]};
    kernels::linear<T>(sizes, matrix_view<T>(rows), matrix_view<T>(weight),
                       bias.defined() ? bias.data<T>() : nullptr,
                       bias.defined() ? bias.strides()[0] : 0, y.mutable_data<T>());
    return y;
  });
}

LinearGrads linear_backward(const Tensor& x, const Tensor& weight, const Tensor& dy) {
  check("linear_backward", x, weight);
  check_defined("linear_backward", dy);
  check_same_dtype("linear_backward", {"x", x.shape()}, x.dtype(), {"dy", dy.shape()}, dy.dtype());
  Shape wanted = x.shape();
  wanted.set(-1, weight.shape()[0]);
  if (dy.shape() != wanted) {
    throw_shape_error("linear_backward", "dy.shape == " + wanted.str(), dy.shape().str(),
                      {{"x", x.shape()}, {"weight", weight.shape()}, {"dy", dy.shape()}});
  }
  if (x.numel() == 0 && dy.numel() == 0) {
    // The leading sizes alone may multiply past what fits.
    return {zeros(x.shape(), x.dtype()), zeros(weight.shape(), x.dtype()),
            zeros({weight.shape()[0]}, x.dtype())};
  }
  const Tensor dy_rows = as_rows(dy);  // [M, N]
  return {reshape(matmul(dy_rows, weight), x.shape()), matmul(transpose(dy_rows), as_rows(x)),
          sum(dy_rows, 0)};
}

}  // namespace gradwalk
