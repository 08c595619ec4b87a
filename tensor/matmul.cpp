#include "tensor/matmul.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/matmul.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

void check_matmul(const Tensor& a, const Tensor& b) {
  check_defined("matmul", a);
  check_defined("matmul", b);
  check_same_dtype("matmul", "a", a, "b", b);
  check_float("matmul", "a", a, "b", b);
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

std::int64_t stride(const Tensor& x, int axis) {
  return x.strides()[static_cast<std::size_t>(x.ndim() + axis)];
}

// A vector stands for one row on the left and for one column on the right.
template <class T>
kernels::MatrixView<T> left(const Tensor& a) {
  return {a.data<T>(), a.ndim() == 1 ? 0 : stride(a, -2), stride(a, -1)};
}
template <class T>
kernels::MatrixView<T> right(const Tensor& b) {
  if (b.ndim() == 1) return {b.data<T>(), stride(b, -1), 1};
  return {b.data<T>(), stride(b, -2), stride(b, -1)};
}

int batch_ndim(const Tensor& x) { return std::max(0, x.ndim() - 2); }

[[noreturn]] void throw_batches_differ(const Tensor& a, const Tensor& b) {
  const auto batch_of = [](const Tensor& x) {
    return Shape(std::span<const std::int64_t>(x.shape().begin(),
                                               static_cast<std::size_t>(batch_ndim(x))))
        .str();
  };
  throw_shape_error("matmul", "batch axes that are equal or 1",
                    fmt::format("{} and {}", batch_of(a), batch_of(b)),
                    {{"a", a.shape()}, {"b", b.shape()}});
}

// The axes before the last two, stretched to each other, and what a step along each is in a and b.
struct Batch {
  Batch() = default;
  Batch(const Tensor& a, const Tensor& b) {
    const int ndim = std::max(batch_ndim(a), batch_ndim(b));
    for (int axis = 0; axis < ndim; ++axis) shape.push_back(1);
    stretch(a, strides_a);
    stretch(b, strides_b);
    for (const Tensor* x : {&a, &b}) {
      for (int i = 0, axis = ndim - batch_ndim(*x); axis < ndim; ++i, ++axis) {
        if (x->shape()[i] != 1 && x->shape()[i] != shape[axis]) throw_batches_differ(a, b);
      }
    }
  }

  Shape shape;
  Strides strides_a{}, strides_b{};

 private:
  void stretch(const Tensor& x, Strides& strides) {
    for (int i = 0, axis = shape.ndim() - batch_ndim(x); i < batch_ndim(x); ++i, ++axis) {
      if (x.shape()[i] == 1) continue;
      shape.set(axis, x.shape()[i]);
      strides[static_cast<std::size_t>(axis)] = x.strides()[static_cast<std::size_t>(i)];
    }
  }
};

template <class T>
void multiply_batch(const Batch& batch, kernels::MatmulSizes sizes, kernels::MatrixView<T> a,
                    kernels::MatrixView<T> b, T* y) {
  kernels::StridedLoop<2> loop =
      kernels::join_axes<2>(batch.shape, {&batch.strides_a, &batch.strides_b});
  // Batches that share b and go on with the rows of a are rows of one larger product.
  while (loop.ndim > 0) {
    const auto inner = static_cast<std::size_t>(loop.ndim - 1);
    const auto [step_a, step_b] = loop.steps[inner];
    if (step_b != 0 || (sizes.m != 1 && step_a != sizes.m * a.row_stride)) break;
    if (sizes.m == 1) a.row_stride = step_a;
    sizes.m *= loop.sizes[inner];
    --loop.ndim;
  }
  kernels::matmul<T>(loop, sizes, a, b, y);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  check_matmul(a, b);
  const kernels::MatmulSizes sizes{a.ndim() == 1 ? 1 : a.shape()[-2],
                                   b.ndim() == 1 ? 1 : b.shape()[-1], a.shape()[-1]};
  const bool batched = a.ndim() > 2 || b.ndim() > 2;
  const Batch batch = batched ? Batch(a, b) : Batch();
  Shape shape = batch.shape;
  if (a.ndim() > 1) shape.push_back(sizes.m);
  if (b.ndim() > 1) shape.push_back(sizes.n);
  Tensor y("matmul", shape, a.dtype());
  if (y.numel() == 0) return y;
  visit_float("matmul", a, [&](auto zero) {
    using T = decltype(zero);
    if (batched) {
      multiply_batch<T>(batch, sizes, left<T>(a), right<T>(b), y.mutable_data<T>());
    } else {
      kernels::matmul<T>(sizes, left<T>(a), right<T>(b), nullptr, y.mutable_data<T>());
    }
  });
  return y;
}

// A column against a row: `mul` broadcasts, and reads each number once. No kernel of its own.
Tensor outer(const Tensor& a, const Tensor& b) {
  check_defined("outer", a);
  check_defined("outer", b);
  check_same_dtype("outer", "a", a, "b", b);
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
