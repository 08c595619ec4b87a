#include "tensor/rope.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/rope.h"
#include "tensor/kernels/strided.h"

namespace gradwalk {
namespace {

void check_rows(const char* op, const Operand& x) {
  if (x.shape.ndim() < 2) {
    throw_shape_error(op, "ndim >= 2", fmt::format("{}", x.shape.ndim()), {x});
  }
  if (x.shape[-1] % 2 != 0) {
    throw_shape_error(op, fmt::format("{}.shape[-1] even", x.name), fmt::format("{}", x.shape[-1]),
                      {x});
  }
}

void check_positions(const char* op, const Operand& x, const Tensor& positions) {
  check_defined(op, positions);
  const Operand operand{"positions", positions.shape()};
  if (positions.dtype() != DType::kInt64) {
    throw_argument_error(op, "positions int64", name(positions.dtype()), {x, operand});
  }
  const Shape wanted{x.shape[-2]};
  if (positions.shape() != wanted) {
    throw_shape_error(op, "positions.shape == " + wanted.str(), positions.shape().str(),
                      {x, operand});
  }
}

void check_base(const char* op, double base) {
  if (!(base > 0 && std::isfinite(base))) {
    throw_argument_error(op, "0 < base < inf", fmt::format("{}", base));
  }
}

// What both directions share; `sign` is that of the angles.
Tensor turned(const char* op, const char* operand, const Tensor& x, const Tensor& positions,
              const RopeOptions& options, double sign) {
  check_defined(op, x);
  const Operand named{operand, x.shape()};
  if (!is_float(x.dtype())) {
    throw_argument_error(op, "float32 or float64", name(x.dtype()), {named});
  }
  check_rows(op, named);
  check_positions(op, named, positions);
  check_base(op, options.base);
  return visit_float(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, x.shape(), x.dtype());
    if (y.numel() == 0) return y;
    const kernels::RopeSizes sizes{x.shape()[-2], x.shape()[-1] / 2};
    const auto axis = static_cast<std::size_t>(x.ndim() - 2);
    const kernels::RopeTable table(sizes, positions.data<std::int64_t>(), positions.strides()[0],
                                   options.base, sign);
    const Shape batch(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 2));
    T* out = y.mutable_data<T>();
    kernels::for_each_row<1>(
        batch, {&x.strides()},
        [&](const kernels::Offsets<1>& at, std::int64_t count, const kernels::Offsets<1>& step) {
          for (std::int64_t i = 0; i < count; ++i, out += sizes.rows * sizes.pairs * 2) {
            kernels::rope<T>(
                table, options.layout,
                {x.data<T>() + at[0] + i * step[0], x.strides()[axis], x.strides()[axis + 1]}, out);
          }
        });
    return y;
  });
}

}  // namespace

Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options) {
  return turned("rope", "x", x, positions, options, /*sign=*/1);
}

Tensor rope(const Tensor& x, std::int64_t start, const RopeOptions& options) {
  check_defined("rope", x);
  check_rows("rope", {"x", x.shape()});
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
