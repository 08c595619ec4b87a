#include "tensor/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/detail/checks.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

// Without kernels of its own: a piece of a tensor is a view, and a copy into a view is a kernel
// already (inplace.h).

namespace gradwalk {
namespace {

std::string part_name(std::size_t i) { return fmt::format("parts[{}]", i); }

// What all parts must have in common. `free_axis` is the one whose sizes may differ, or -1.
void check_parts(const char* op, std::span<const Tensor> parts, int free_axis) {
  const Tensor& first = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string own_name = part_name(i);
    const Operand a{"parts[0]", first.shape()};
    const Operand b{own_name, parts[i].shape()};
    check_same_dtype(op, a, first.dtype(), b, parts[i].dtype());
    bool fits = parts[i].ndim() == first.ndim();
    for (int axis = 0; fits && axis < first.ndim(); ++axis) {
      fits = axis == free_axis || parts[i].shape()[axis] == first.shape()[axis];
    }
    if (!fits) {
      const std::string rule =
          free_axis < 0 ? "parts of one shape"
                        : fmt::format("parts whose shapes differ at axis {} only", free_axis);
      throw_shape_error(
          op, rule, fmt::format("{} and {}", first.shape().str(), parts[i].shape().str()), {a, b});
    }
  }
}

void check_all_defined(const char* op, std::span<const Tensor> parts) {
  if (parts.empty()) throw_shape_error(op, "at least one part", "none");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].defined()) {
      throw_argument_error(op, "tensors", fmt::format("an undefined one as {}", part_name(i)));
    }
  }
}

// y[..., begin : begin + size, ...] = part for one part after the other.
void fill_along(const Tensor& y, int axis, std::span<const Tensor> parts) {
  std::int64_t begin = 0;
  for (const Tensor& part : parts) {
    const std::int64_t end = begin + part.shape()[axis];
    copy_into(slice(y, axis, begin, end), part);
    begin = end;
  }
}

}  // namespace

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

Tensor concat(std::span<const Tensor> parts, int axis) {
  check_all_defined("concat", parts);
  const Tensor& first = parts[0];
  if (first.ndim() == 0) {
    throw_shape_error("concat", "parts with ndim >= 1 (stack takes 0-d ones)", "0",
                      {{"parts[0]", first.shape()}});
  }
  axis = checked_axis("concat", "parts[0]", first, axis, -first.ndim(), first.ndim() - 1);
  check_parts("concat", parts, axis);
  Shape shape = first.shape();
  std::int64_t total = 0;
  for (const Tensor& part : parts) {
    if (__builtin_add_overflow(total, part.shape()[axis], &total)) {
      throw_shape_error("concat", "at most 2^63 - 1 elements", "more",
                        {{"parts[0]", first.shape()}});
    }
  }
  shape.set(axis, total);
  Tensor y("concat", shape, first.dtype());
  fill_along(y, axis, parts);
  return y;
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  check_all_defined("stack", parts);
  const Tensor& first = parts[0];
  check_room_for_axis("stack", "parts[0]", first);
  axis = checked_axis("stack", "parts[0]", first, axis, -first.ndim() - 1, first.ndim());
  check_parts("stack", parts, /*free_axis=*/-1);
  std::vector<Tensor> rows;
  rows.reserve(parts.size());
  for (const Tensor& part : parts) rows.push_back(unsqueeze(part, axis));
  Shape shape = rows[0].shape();
  shape.set(axis, static_cast<std::int64_t>(rows.size()));
  Tensor y("stack", shape, first.dtype());
  fill_along(y, axis, rows);
  return y;
}

std::vector<Tensor> split(const Tensor& x, int axis, std::initializer_list<std::int64_t> sizes) {
  return split(x, axis, std::span<const std::int64_t>(sizes.begin(), sizes.size()));
}

std::vector<Tensor> split(const Tensor& x, int axis, std::span<const std::int64_t> sizes) {
  check_defined("split", x);
  axis = normalize_axis("split", axis, x.shape());
  const std::int64_t size = x.shape()[axis];
  std::int64_t left = size;
  bool valid = true;
  for (const std::int64_t piece : sizes) {
    valid = valid && piece >= 0 && piece <= left;
    if (valid) left -= piece;
  }
  if (!valid || left != 0) {
    throw_shape_error("split", fmt::format("sizes >= 0 that add up to {}, axis {}", size, axis),
                      fmt::format("[{}]", fmt::join(sizes, ", ")), {{"x", x.shape()}});
  }
  std::vector<Tensor> pieces;
  pieces.reserve(sizes.size());
  std::int64_t begin = 0;
  for (const std::int64_t piece : sizes) {
    pieces.push_back(slice(x, axis, begin, begin + piece));
    begin += piece;
  }
  return pieces;
}

std::vector<Tensor> split(const Tensor& x, int axis, std::int64_t parts) {
  check_defined("split", x);
  axis = normalize_axis("split", axis, x.shape());
  const std::int64_t size = x.shape()[axis];
  if (parts < 1 || size % parts != 0) {
    throw_shape_error("split",
                      fmt::format("a number of parts that divides {}, axis {}", size, axis),
                      fmt::format("{}", parts), {{"x", x.shape()}});
  }
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), size / parts);
  return split(x, axis, std::span<const std::int64_t>(sizes));
}

}  // namespace gradwalk
