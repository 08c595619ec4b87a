#include "tensor/detail/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace gradwalk {
namespace {

// "[2, 0]": the index of an element from its place in row-major order.
std::string index_text(std::int64_t place, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.ndim()));
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = place % shape[axis];
    place /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace

void check_same_dtype(const char* op, const Operand& a, DType dtype_a, const Operand& b,
                      DType dtype_b) {
  if (dtype_a == dtype_b) return;
  throw_argument_error(op, fmt::format("one dtype for {} and {}", a.name, b.name),
                       fmt::format("{} and {}", name(dtype_a), name(dtype_b)), {a, b});
}

void check_float(const char* op, DType dtype, std::initializer_list<Operand> operands) {
  if (!is_float(dtype)) throw_argument_error(op, "float32 or float64", name(dtype), operands);
}

void check_bool(const char* op, std::string_view which, DType dtype,
                std::initializer_list<Operand> operands) {
  if (dtype == DType::kBool) return;
  throw_argument_error(op, fmt::format("{} bool", which), name(dtype), operands);
}

void throw_ndim(const char* op, const Operand& x, int least) {
  throw_shape_error(op, fmt::format("ndim >= {}", least), fmt::format("{}", x.shape.ndim()), {x});
}

void throw_not_shape_of(const char* op, const Operand& of, const Operand& x) {
  throw_shape_error(op, fmt::format("{}.shape == {}.shape", x.name, of.name),
                    fmt::format("{} and {}", x.shape.str(), of.shape.str()), {of, x});
}

void throw_other_shape(const char* op, std::string_view which, const Shape& got,
                       const Shape& wanted, std::initializer_list<Operand> operands) {
  throw_shape_error(op, fmt::format("{}.shape == {}", which, wanted.str()), got.str(), operands);
}

bool can_expand(const Shape& from, const Shape& shape) {
  if (from.ndim() > shape.ndim()) return false;
  for (int axis = 1; axis <= from.ndim(); ++axis) {
    if (from[-axis] != 1 && from[-axis] != shape[-axis]) return false;
  }
  return true;
}

int expanded_axis(const Tensor& x) {
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (x.shape()[axis] > 1 && x.strides()[static_cast<std::size_t>(axis)] == 0) return axis;
  }
  return -1;
}

void throw_axis(const char* op, const Operand& of, int axis, int least, int most) {
  throw_shape_error(op, fmt::format("axis in [{}, {}]", least, most), fmt::format("{}", axis),
                    {of});
}

void check_room_for_axis(const char* op, std::string_view which, const Tensor& x) {
  if (x.ndim() < kMaxNdim) return;
  throw_shape_error(op, fmt::format("ndim < {}", kMaxNdim), fmt::format("{}", x.ndim()),
                    {{which, x.shape()}});
}

void check_setting(const char* op, const char* which, double value, double end,
                   std::initializer_list<Operand> operands) {
  if (value >= 0 && value < end) return;
  const std::string range = std::isinf(end) ? fmt::format("a finite {} >= 0", which)
                                            : fmt::format("{} in [0, {})", which, end);
  throw_argument_error(op, range, fmt::format("{}", value), operands);
}

void check_low_high(const char* op, double low, double high,
                    std::initializer_list<Operand> operands) {
  if (low <= high) return;
  throw_argument_error(op, "low <= high", fmt::format("{} and {}", low, high), operands);
}

void check_head_groups(const char* op, std::int64_t num_heads, std::int64_t num_kv_heads,
                       std::initializer_list<Operand> operands) {
  if (num_kv_heads == 0 ? num_heads == 0 : num_heads % num_kv_heads == 0) return;
  throw_shape_error(op, "num_heads % num_kv_heads == 0",
                    fmt::format("{} and {}", num_heads, num_kv_heads), operands);
}

Tensor checked_ids(const char* op, std::string_view which, const Tensor& ids, std::int64_t count,
                   std::optional<std::int64_t> ignored, std::initializer_list<Operand> operands) {
  if (ids.dtype() != DType::kInt64) {
    throw_argument_error(op, fmt::format("int64 {}", which), name(ids.dtype()), operands);
  }
  Tensor rows = contiguous(ids);
  const std::int64_t* data = rows.data<std::int64_t>();
  for (std::int64_t i = 0; i < rows.numel(); ++i) {
    if ((data[i] >= 0 && data[i] < count) || data[i] == ignored) continue;
    throw std::out_of_range(error_text(op, fmt::format("{} in [0, {})", which, count),
                                       fmt::format("{} at {}", data[i], index_text(i, ids.shape())),
                                       operands));
  }
  return rows;
}

void check_loss_gradient(const char* op, const Tensor& dy, const Operand& of, DType dtype,
                         std::initializer_list<Operand> operands) {
  check_defined(op, dy);
  check_same_dtype(op, of, dtype, {"dy", dy.shape()}, dy.dtype());
  if (dy.ndim() != 0) throw_shape_error(op, "dy of shape []", dy.shape().str(), operands);
}

void check_rows(const char* op, const Tensor& x) {
  check_defined(op, x);
  check_float(op, "x", x);
  if (x.ndim() == 0) throw_shape_error(op, "x with ndim >= 1", "0", {{"x", x.shape()}});
}

void check_features(const char* op, const Tensor& x, std::string_view which,
                    const Tensor& features) {
  if (!features.defined()) return;
  const Operand a{"x", x.shape()};
  const Operand b{which, features.shape()};
  check_same_dtype(op, a, x.dtype(), b, features.dtype());
  const Shape want{x.shape()[-1]};
  if (features.shape() != want) throw_other_shape(op, which, features.shape(), want, {a, b});
}

void check_upstream(const char* op, const Tensor& x, const Tensor& dy) {
  check_defined(op, dy);
  check_same_dtype(op, "x", x, "dy", dy);
  check_shape_of(op, "x", x, "dy", dy);
}

void check_statistic(const char* op, const Tensor& x, std::string_view which,
                     const Tensor& statistic) {
  check_defined(op, statistic);
  const Shape rows = row_shape(x.shape());
  if (statistic.dtype() == DType::kFloat64 && statistic.shape() == rows) return;
  throw_shape_error(op, fmt::format("{} {} float64", which, rows.str()),
                    fmt::format("{} {}", statistic.shape().str(), name(statistic.dtype())),
                    {{"x", x.shape()}, {which, statistic.shape()}});
}

}  // namespace gradwalk
