#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace gradwalk {

/// More axes than this are an error: sizes and strides stand inside the tensor, without an
/// allocation.
inline constexpr int kMaxNdim = 8;

/// Distance between neighbours along each axis, in elements. Entries past ndim are unused.
using Strides = std::array<std::int64_t, kMaxNdim>;

/// The sizes of a tensor's axes, outermost first. `[]` is a 0-d tensor with one element.
///
/// A Shape is only a list: a function that makes a tensor checks that no size is negative and that
/// the product fits.
class Shape {
 public:
  Shape() = default;
  /// @throws ShapeError for more than kMaxNdim axes
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);

  int ndim() const { return ndim_; }
  /// Size of an axis in [-ndim, ndim); negative counts from the end.
  std::int64_t operator[](int axis) const {
    return sizes_[static_cast<std::size_t>(axis < 0 ? axis + ndim_ : axis)];
  }
  void set(int axis, std::int64_t size) {
    sizes_[static_cast<std::size_t>(axis < 0 ? axis + ndim_ : axis)] = size;
  }
  void push_back(std::int64_t size);
  void clear() { ndim_ = 0; }

  /// Number of elements; 1 for a 0-d shape. @throws ShapeError if it does not fit 63 bits
  std::int64_t numel() const;
  /// "[2, 3]"
  std::string str() const;

  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + ndim_; }
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.ndim_ != b.ndim_) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.ndim_); ++i) {
      if (a.sizes_[i] != b.sizes_[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxNdim> sizes_{};
  int ndim_ = 0;
};

/// Strides of a row-major tensor without gaps.
Strides contiguous_strides(const Shape& shape);

/// An axis in [-ndim, ndim) as one in [0, ndim).
/// @throws ShapeError that names `op` if it is out of range
int normalize_axis(const char* op, int axis, const Shape& shape);

/// @throws ShapeError that names `op` if a size is negative or the number of elements does not fit
///         63 bits
void check_numel(const char* op, const Shape& shape);

/// The axes that a reduction runs over; built from one axis or from a list.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : axes_{axis}, count_(1) {}  // NOLINT(google-explicit-constructor): sum(x, -1)
  Axes(std::initializer_list<int> axes);

  /// @throws ShapeError past kMaxNdim
  void push_back(int axis);

  const int* begin() const { return axes_.data(); }
  const int* end() const { return axes_.data() + count_; }

 private:
  std::array<int, kMaxNdim> axes_{};
  int count_ = 0;
};

/// The shape that shapes stretch to together: aligned at the last axis, size 1 stretches (NumPy's
/// rule).
/// @throws ShapeError that names `op` and both operands if two sizes differ and neither is 1
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);

}  // namespace gradwalk
