#include "tensor/matmul.h"

#include <fmt/format.h>

#include "tensor/dispatch.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/strided.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

Shape batch_of(const Tensor& x) {
  return Shape(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 2));
}

void check(const Tensor& a, const Tensor& b) {
  check_defined("matmul", a);
  check_defined("matmul", b);
  check_same_dtype("matmul", {"a", a.shape()}, a.dtype(), {"b", b.shape()}, b.dtype());
  if (!is_float(a.dtype())) {
    throw_argument_error("matmul", "float32 or float64", name(a.dtype()),
                         {{"a", a.shape()}, {"b", b.shape()}});
  }
  if (a.ndim() == 0 || b.ndim() == 0) {
    throw_shape_error("matmul", "ndim >= 1 for a and b",
                      fmt::format("{} and {}", a.ndim(), b.ndim()),
                      {{"a", a.shape()}, {"b", b.shape()}});
  }
  const int rows_of_b = b.ndim() == 1 ? -1 : -2;
  if (a.shape()[-1] != b.shape()[rows_of_b]) {
    throw_shape_error("matmul", fmt::format("a.shape[-1] == b.shape[{}]", rows_of_b),
                      fmt::format("{} and {}", a.shape()[-1], b.shape()[rows_of_b]),
                      {{"a", a.shape()}, {"b", b.shape()}});
  }
}

// a [..., M, K], b [..., K, N]
Tensor product(const Tensor& a, const Tensor& b) {
  Shape batch;
  try {
    batch = broadcast_shapes("matmul", batch_of(a), batch_of(b));
  } catch (const ShapeError&) {
    throw_shape_error("matmul", "batch axes that are equal or 1",
                      fmt::format("{} and {}", batch_of(a).str(), batch_of(b).str()),
                      {{"a", a.shape()}, {"b", b.shape()}});
  }
  const auto with_batch = [&batch](std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  const std::int64_t m = a.shape()[-2];
  const std::int64_t k = a.shape()[-1];
  const std::int64_t n = b.shape()[-1];
  const Tensor wide_a = expand(a, with_batch(m, k));
  const Tensor wide_b = expand(b, with_batch(k, n));
  return visit_float("matmul", a, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("matmul", with_batch(m, n), a.dtype());
    T* out = y.mutable_data<T>();
    const auto last = [](const Tensor& x, int back) {
      return x.strides()[static_cast<std::size_t>(x.ndim() - back)];
    };
    kernels::for_each_row<2>(
        batch, {&wide_a.strides(), &wide_b.strides()},
        [&](const kernels::Offsets<2>& at, std::int64_t count, const kernels::Offsets<2>& step) {
          for (std::int64_t i = 0; i < count; ++i) {
            kernels::matmul<T>(
                {m, n, k},
                {wide_a.data<T>() + at[0] + i * step[0], last(wide_a, 2), last(wide_a, 1)},
                {wide_b.data<T>() + at[1] + i * step[1], last(wide_b, 2), last(wide_b, 1)}, out);
            out += m * n;
          }
        });
    return y;
  });
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  check(a, b);
  const Tensor rows = a.ndim() == 1 ? unsqueeze(a, 0) : a;
  const Tensor columns = b.ndim() == 1 ? unsqueeze(b, 1) : b;
  Tensor y = product(rows, columns);
  if (b.ndim() == 1) y = squeeze(y, -1);
  if (a.ndim() == 1) y = squeeze(y, b.ndim() == 1 ? -1 : -2);
  return y;
}

// A column against a row: `mul` broadcasts, and reads each number once. No kernel of its own.
Tensor outer(const Tensor& a, const Tensor& b) {
  check_defined("outer", a);
  check_defined("outer", b);
  check_same_dtype("outer", {"a", a.shape()}, a.dtype(), {"b", b.shape()}, b.dtype());
  if (a.ndim() != 1 || b.ndim() != 1) {
    throw_shape_error("outer", "vectors a and b", fmt::format("ndim {} and {}", a.ndim(), b.ndim()),
                      {{"a", a.shape()}, {"b", b.shape()}});
  }
  if (a.dtype() == DType::kBool) {
    throw_argument_error("outer", "float32, float64 or int64", name(a.dtype()),
                         {{"a", a.shape()}, {"b", b.shape()}});
  }
  return mul(unsqueeze(a, 1), unsqueeze(b, 0));
}

}  // namespace gradwalk
