#include "tensor/linear.h"

#include <fmt/format.h>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/optional_tensor.h"
#include "tensor/kernels/linear.h"
#include "tensor/kernels/matmul.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk {
namespace {

void check_linear(const char* op, const Tensor& x, const Tensor& weight) {
  check_defined(op, x);
  check_defined(op, weight);
  check_same_dtype(op, "x", x, "weight", weight);
  check_float(op, "x", x, "weight", weight);
  if (x.ndim() == 0 || weight.ndim() != 2) {
    throw_shape_error(op, "x.ndim >= 1 and weight.ndim == 2",
                      fmt::format("{} and {}", x.ndim(), weight.ndim()),
                      {{"x", x.shape()}, {"weight", weight.shape()}});
  }
  if (x.shape()[-1] != weight.shape()[1]) {
    throw_shape_error(op, "x.shape[-1] == weight.shape[1]",
                      fmt::format("{} and {}", x.shape()[-1], weight.shape()[1]),
                      {{"x", x.shape()}, {"weight", weight.shape()}});
  }
}

void check_bias(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_same_dtype("linear", "x", x, "bias", bias);
  const std::int64_t outputs = weight.shape()[0];
  if (bias.ndim() != 1 || bias.shape()[0] != outputs) {
    throw_other_shape("linear", "bias", bias.shape(), {outputs},
                      {{"weight", weight.shape()}, {"bias", bias.shape()}});
  }
}

void check_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy) {
  check_defined("linear_backward", dy);
  check_same_dtype("linear_backward", "x", x, "dy", dy);
  Shape wanted = x.shape();
  wanted.set(-1, weight.shape()[0]);
  if (dy.shape() != wanted) {
    throw_other_shape("linear_backward", "dy", dy.shape(), wanted,
                      {{"x", x.shape()}, {"weight", weight.shape()}, {"dy", dy.shape()}});
  }
}

// [..., K] as [M, K]: one product instead of one for each leading index.
Tensor as_rows(const Tensor& x) {
  if (x.ndim() == 2) return x;
  return reshape(x, {row_shape(x.shape()).numel(), x.shape()[-1]});
}

template <class T>
kernels::MatrixView<T> matrix_view(const Tensor& x) {
  return {x.data<T>(), x.strides()[0], x.strides()[1]};
}

Tensor column_sums(const Tensor& rows) {
  const Tensor x = contiguous(rows);
  Tensor y("linear_backward", {x.shape()[1]}, x.dtype());
  visit_float("linear_backward", x, [&](auto zero) {
    using T = decltype(zero);
    kernels::column_sums<T>(x.shape()[0], x.shape()[1], x.data<T>(), y.mutable_data<T>());
  });
  return y;
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_linear("linear", x, weight);
  if (bias.defined()) check_bias(x, weight, bias);
  Shape shape = x.shape();
  shape.set(-1, weight.shape()[0]);
  Tensor y("linear", shape, x.dtype());
  if (y.numel() == 0) return y;
  visit_float("linear", x, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = as_rows(x);
    const Tensor beside = contiguous_or_none(bias);
    kernels::matmul<T>({rows.shape()[0], weight.shape()[0], weight.shape()[1]},
                       matrix_view<T>(rows), matrix_view<T>(weight).transposed(),
                       data_or_null<T>(beside), y.mutable_data<T>());
  });
  return y;
}

LinearGrads linear_backward(const Tensor& x, const Tensor& weight, const Tensor& dy,
                            LinearNeeds needs) {
  check_linear("linear_backward", x, weight);
  check_gradient(x, weight, dy);
  LinearGrads grads;
  if (x.numel() == 0 && dy.numel() == 0) {
    // The leading sizes alone may multiply past what fits.
    if (needs.dx) grads.dx = zeros(x.shape(), x.dtype());
    if (needs.dweight) grads.dweight = zeros(weight.shape(), x.dtype());
    if (needs.dbias) grads.dbias = zeros({weight.shape()[0]}, x.dtype());
    return grads;
  }
  if (needs.dx) grads.dx = matmul(dy, weight);
  if (!needs.dweight && !needs.dbias) return grads;
  const Tensor dy_rows = as_rows(dy);  // [M, N]
  if (needs.dweight) grads.dweight = matmul(transpose(dy_rows), as_rows(x));
  if (needs.dbias) grads.dbias = column_sums(dy_rows);
  return grads;
}

}  // namespace gradwalk
