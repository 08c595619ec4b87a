#include "tensor/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tensor/detail/checks.h"
#include "tensor/kernels/strided.h"

namespace gradwalk {
namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

// Works out a size of -1. An empty tensor leaves it open: 0 times anything is 0.
Shape resolved(const Tensor& x, const Shape& wanted) {
  int open = -1;
  std::int64_t known = 1;
  bool valid = true;
  for (int axis = 0; axis < wanted.ndim(); ++axis) {
    const std::int64_t size = wanted[axis];
    if (size == -1) {
      valid = valid && open < 0;
      open = axis;
    } else {
      valid = valid && size >= 0 && !__builtin_mul_overflow(known, size, &known);
    }
  }
  Shape shape = wanted;
  if (valid && open >= 0) {
    valid = known > 0 && x.numel() % known == 0;
    if (valid) shape.set(open, x.numel() / known);
  } else {
    valid = valid && known == x.numel();
  }
  if (!valid) {
    throw_shape_error("reshape", fmt::format("a shape of {} elements", x.numel()), wanted.str(),
                      {{"x", x.shape()}});
  }
  return shape;
}

// Strides of a view under the new shape, if there is one: the old axes are joined into runs without
// gaps, and each run is cut anew into whole new axes.
std::optional<Strides> view_strides(const Tensor& x, const Shape& shape) {
  Strides strides{};
  if (x.numel() == 0) return strides;
  const auto runs = kernels::join_axes<1>(x.shape(), {&x.strides()});
  int axis = shape.ndim() - 1;
  for (int run = runs.ndim - 1; run >= 0; --run) {
    std::int64_t left = runs.sizes[at(run)];
    std::int64_t step = runs.steps[at(run)][0];
    while (left > 1) {
      const std::int64_t size = shape[axis];
      if (left % size != 0) return std::nullopt;
      strides[at(axis)] = step;
      step *= size;
      left /= size;
      --axis;
    }
  }
  return strides;
}

Tensor sliced(const Tensor& x, int axis, std::int64_t begin, std::int64_t count,
              std::int64_t step) {
  Shape shape = x.shape();
  shape.set(axis, count);
  Strides strides = x.strides();
  const std::int64_t offset = x.offset() + (count > 0 ? begin * strides[at(axis)] : 0);
  if (count > 1) strides[at(axis)] *= step;  // else it is not used, and need not fit
  return Tensor(x, shape, strides, offset);
}

Tensor without_axis(const Tensor& x, int dropped) {
  Shape shape;
  Strides strides{};
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis == dropped) continue;
    strides[at(shape.ndim())] = x.strides()[at(axis)];
    shape.push_back(x.shape()[axis]);
  }
  return Tensor(x, shape, strides, x.offset());
}

}  // namespace

Tensor transpose(const Tensor& x) {
  check_defined("transpose", x);
  check_ndim("transpose", "x", x, 2);
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.set(-1, x.shape()[-2]);
  shape.set(-2, x.shape()[-1]);
  std::swap(strides[at(x.ndim() - 1)], strides[at(x.ndim() - 2)]);
  return Tensor(x, shape, strides, x.offset());
}

Tensor permute(const Tensor& x, std::initializer_list<int> axes) {
  return permute(x, std::span<const int>(axes.begin(), axes.size()));
}

Tensor permute(const Tensor& x, std::span<const int> axes) {
  check_defined("permute", x);
  Shape shape;
  Strides strides{};
  std::array<bool, kMaxNdim> seen{};
  bool valid = static_cast<int>(axes.size()) == x.ndim();
  for (std::size_t i = 0; valid && i < axes.size(); ++i) {
    const int axis = normalize_axis("permute", axes[i], x.shape());
    valid = !seen[at(axis)];
    seen[at(axis)] = true;
    strides[i] = x.strides()[at(axis)];
    shape.push_back(x.shape()[axis]);
  }
  if (!valid) {
    throw_shape_error("permute", fmt::format("each of {} axes once", x.ndim()),
                      fmt::format("[{}]", fmt::join(axes, ", ")), {{"x", x.shape()}});
  }
  return Tensor(x, shape, strides, x.offset());
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  check_defined("reshape", x);
  const Shape shape = resolved(x, wanted);
  if (const auto strides = view_strides(x, shape)) return Tensor(x, shape, *strides, x.offset());
  const Tensor copy = contiguous(x);
  return Tensor(copy, shape, contiguous_strides(shape), copy.offset());
}

Tensor expand(const Tensor& x, const Shape& shape) {
  check_defined("expand", x);
  Strides strides{};
  bool valid = x.ndim() <= shape.ndim();
  for (int axis = 1; valid && axis <= x.ndim(); ++axis) {
    const std::int64_t size = x.shape()[-axis];
    valid = size == 1 || size == shape[-axis];
    if (size != 1) strides[at(shape.ndim() - axis)] = x.strides()[at(x.ndim() - axis)];
  }
  for (const std::int64_t size : shape) valid = valid && size >= 0;
  if (!valid) {
    throw_shape_error("expand", "sizes that are equal to those of x, or 1 in x", shape.str(),
                      {{"x", x.shape()}});
  }
  check_numel("expand", shape);
  return Tensor(x, shape, strides, x.offset());
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
  check_defined("slice", x);
  axis = normalize_axis("slice", axis, x.shape());
  if (step < 1) {
    throw_shape_error("slice", "step >= 1", fmt::format("{}", step), {{"x", x.shape()}});
  }
  const std::int64_t size = x.shape()[axis];
  const auto cut = [size](std::int64_t i) {
    return std::clamp(i < 0 ? i + size : i, std::int64_t{0}, size);
  };
  const std::int64_t first = cut(begin);
  const std::int64_t length = std::max<std::int64_t>(0, cut(end) - first);
  const std::int64_t count = length == 0 ? 0 : (length - 1) / step + 1;
  return sliced(x, axis, first, count, step);
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  check_defined("select", x);
  axis = normalize_axis("select", axis, x.shape());
  const std::int64_t size = x.shape()[axis];
  if (index < -size || index >= size) {
    throw std::out_of_range(error_text("select", fmt::format("index in [{}, {})", -size, size),
                                       fmt::format("{}", index), {{"x", x.shape()}}));
  }
  return without_axis(sliced(x, axis, index < 0 ? index + size : index, 1, 1), axis);
}

Tensor squeeze(const Tensor& x, int axis) {
  check_defined("squeeze", x);
  axis = normalize_axis("squeeze", axis, x.shape());
  if (x.shape()[axis] != 1) {
    throw_shape_error("squeeze", fmt::format("size 1 at axis {}", axis),
                      fmt::format("{}", x.shape()[axis]), {{"x", x.shape()}});
  }
  return without_axis(x, axis);
}

Tensor unsqueeze(const Tensor& x, int axis) {
  check_defined("unsqueeze", x);
  const int ndim = x.ndim();
  axis = checked_axis("unsqueeze", "x", x, axis, -ndim - 1, ndim);
  if (ndim == kMaxNdim) {
    throw_shape_error("unsqueeze", fmt::format("at most {} axes", kMaxNdim - 1),
                      fmt::format("{}", ndim), {{"x", x.shape()}});
  }
  Shape shape;
  Strides strides{};
  for (int from = 0; from <= ndim; ++from) {
    if (from == axis) shape.push_back(1);
    if (from == ndim) break;
    strides[at(shape.ndim())] = x.strides()[at(from)];
    shape.push_back(x.shape()[from]);
  }
  return Tensor(x, shape, strides, x.offset());
}

}  // namespace gradwalk
