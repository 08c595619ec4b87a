#include "tensor/detail/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

#include "tensor/detail/dispatch.h"

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

void check_float(const char* op, DType dtype, std::initializer_list<Operand> operands) {
  if (!is_float(dtype)) throw_argument_error(op, "float32 or float64", name(dtype), operands);
}

void check_loss_gradient(const char* op, const Tensor& dy, const Operand& of, DType dtype,
                         std::initializer_list<Operand> operands) {
  check_defined(op, dy);
  check_same_dtype(op, of, dtype, {"dy", dy.shape()}, dy.dtype());
  if (dy.ndim() != 0) throw_shape_error(op, "dy of shape []", dy.shape().str(), operands);
}

}  // namespace gradwalk
