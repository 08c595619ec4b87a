#include "tensor/rope.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/heads_layout.h"
#include "tensor/kernels/rope.h"

namespace gradwalk {
namespace {

void check_pairs(const char* op, const char* operand, const Tensor& x) {
  check_ndim(op, operand, x, 2);
  if (x.shape()[-1] % 2 != 0) {
    throw_shape_error(op, fmt::format("{}.shape[-1] even", operand),
                      fmt::format("{}", x.shape()[-1]), {{operand, x.shape()}});
  }
}

void check_positions(const char* op, const char* operand, const Tensor& x,
                     const Tensor& positions) {
  check_defined(op, positions);
  if (positions.dtype() != DType::kInt64) {
    throw_argument_error(op, "positions int64", name(positions.dtype()),
                         {{operand, x.shape()}, {"positions", positions.shape()}});
  }
  if (positions.ndim() != 1 || positions.shape()[0] != x.shape()[-2]) {
    throw_other_shape(op, "positions", positions.shape(), {x.shape()[-2]},
                      {{operand, x.shape()}, {"positions", positions.shape()}});
  }
}

void check_base(const char* op, double base) {
  if (!(base > 0 && std::isfinite(base))) {
    throw_argument_error(op, "0 < base < inf", fmt::format("{}", base));
  }
}

// At most four axes; a copy only if the leading ones do not join.
Tensor joined(const Tensor& x) {
  if (x.ndim() <= 4) return x;
  const Shape& shape = x.shape();
  std::int64_t batch = 1;
  for (int axis = 0; axis < x.ndim() - 3; ++axis) batch *= shape[axis];
  return reshape(x, {batch, shape[-3], shape[-2], shape[-1]});
}

std::int64_t size_from_end(const Tensor& x, int axis) {
  return x.ndim() + axis < 0 ? 1 : x.shape()[axis];
}

template <class T>
kernels::HeadsView<T> view(const Tensor& x, T* data) {
  return {data, stride_from_end(x, -4), stride_from_end(x, -3), stride_from_end(x, -2),
          stride_from_end(x, -1)};
}

// What both directions share; `sign` is that of the angles.
Tensor turned(const char* op, const char* operand, const Tensor& x, const Tensor& positions,
              const RopeOptions& options, double sign) {
  check_defined(op, x);
  check_float(op, operand, x);
  check_pairs(op, operand, x);
  check_positions(op, operand, x, positions);
  check_base(op, options.base);
  if (x.numel() == 0) return Tensor(op, x.shape(), x.dtype());
  return visit_float(op, x, [&](auto zero) {
    using T = decltype(zero);
    const Tensor from = joined(x);
    Tensor y = empty_in_layout_of(op, from, from.shape()[-1]);
    const kernels::RopeSizes sizes{size_from_end(from, -4), size_from_end(from, -3),
                                   from.shape()[-2], from.shape()[-1] / 2};
    const kernels::RopeTable<T> table(sizes, positions.data<std::int64_t>(), positions.strides()[0],
                                      options, sign);
    kernels::rope(table, view(from, from.data<T>()), view(y, y.mutable_data<T>()));
    return x.ndim() <= 4 ? y : reshape(y, x.shape());
  });
}

}  // namespace

Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options) {
  return turned("rope", "x", x, positions, options, /*sign=*/1);
}

Tensor rope(const Tensor& x, std::int64_t start, const RopeOptions& options) {
  check_defined("rope", x);
  check_pairs("rope", "x", x);
  std::int64_t end = 0;
  if (__builtin_add_overflow(start, x.shape()[-2], &end)) {
    throw_argument_error("rope", "start + T within 63 bits", fmt::format("start {}", start),
                         {{"x", x.shape()}});
  }
  return rope(x, arange(start, end), options);
}

Tensor rope_backward(const Tensor& dy, const Tensor& positions, const RopeOptions& options) {
  return turned("rope_backward", "dy", dy, positions, options, /*sign=*/-1);
}

}  // namespace gradwalk
