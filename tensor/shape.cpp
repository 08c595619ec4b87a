#include "tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "tensor/error.h"

namespace gradwalk {

Shape::Shape(std::initializer_list<std::int64_t> sizes)
    : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > kMaxNdim) {
    throw_shape_error("shape", fmt::format("at most {} axes", kMaxNdim),
                      fmt::format("{}: [{}]", sizes.size(), fmt::join(sizes, ", ")));
  }
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  ndim_ = static_cast<int>(sizes.size());
}

void Shape::push_back(std::int64_t size) {
  if (ndim_ == kMaxNdim) {
    throw_shape_error("shape", fmt::format("at most {} axes", kMaxNdim),
                      fmt::format("{}", ndim_ + 1), {{"shape", *this}});
  }
  sizes_[static_cast<std::size_t>(ndim_++)] = size;
}

std::int64_t Shape::numel() const {
  std::int64_t product = 1;
  for (const std::int64_t size : *this) {
    if (size == 0) return 0;  // before the other sizes, whose product may not fit
  }
  for (const std::int64_t size : *this) {
    if (__builtin_mul_overflow(product, size, &product)) {
      throw_shape_error("numel", "at most 2^63 - 1 elements", "more", {{"shape", *this}});
    }
  }
  return product;
}

std::string Shape::str() const { return fmt::format("[{}]", fmt::join(*this, ", ")); }

Strides contiguous_strides(const Shape& shape) {
  Strides strides{};
  // An empty tensor has no neighbours, and its other sizes may multiply past what fits.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strides;
  std::int64_t step = 1;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

int normalize_axis(const char* op, int axis, const Shape& shape) {
  const int ndim = shape.ndim();
  if (axis < -ndim || axis >= ndim) {
    throw_shape_error(op, fmt::format("axis in [{}, {})", -ndim, ndim), fmt::format("{}", axis),
                      {{"x", shape}});
  }
  return axis < 0 ? axis + ndim : axis;
}

void check_numel(const char* op, const Shape& shape) {
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] < 0) {
      throw_shape_error(op, "sizes >= 0", fmt::format("{} at axis {}", shape[axis], axis),
                        {{"shape", shape}});
    }
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) {
      throw_shape_error(op, "at most 2^63 - 1 elements", "more", {{"shape", shape}});
    }
  }
}

Axes::Axes(std::initializer_list<int> axes) {
  for (const int axis : axes) push_back(axis);
}

void Axes::push_back(int axis) {
  if (count_ == kMaxNdim) {
    throw_shape_error("axes", fmt::format("at most {} axes", kMaxNdim),
                      fmt::format("{}", count_ + 1));
  }
  axes_[static_cast<std::size_t>(count_++)] = axis;
}

Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
  const int ndim = std::max(a.ndim(), b.ndim());
  Shape out = a.ndim() >= b.ndim() ? a : b;
  for (int axis = 1; axis <= ndim; ++axis) {
    const std::int64_t size_a = axis <= a.ndim() ? a[-axis] : 1;
    const std::int64_t size_b = axis <= b.ndim() ? b[-axis] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      throw_shape_error(op, "sizes that are equal or 1, aligned at the last axis",
                        fmt::format("{} and {} at axis {}", size_a, size_b, -axis),
                        {{"a", a}, {"b", b}});
    }
    out.set(-axis, size_a == 1 ? size_b : size_a);
  }
  return out;
}

}  // namespace gradwalk
