#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "tensor/detail/storage.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace gradwalk {

/// An n-dimensional array: a cheap handle on shared storage with shape, strides, offset and dtype.
///
/// Copying a Tensor copies the handle. Views (tensor/layout.h) share the storage; `clone` and
/// `contiguous` do not. A default-constructed Tensor is undefined: it stands for "none" and has no
/// shape.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised. @throws ShapeError that names `op` if a size is negative or the bytes do not
  /// fit 63 bits
  Tensor(const char* op, const Shape& shape, DType dtype);
  /// A view on the storage of `base`.
  Tensor(const Tensor& base, const Shape& shape, const Strides& strides, std::int64_t offset);

  bool defined() const { return static_cast<bool>(storage_); }
  /// Makes it undefined: lets go of the storage.
  void reset() {
    storage_ = StoragePtr();
    offset_ = 0;
    numel_ = 1;
    dtype_ = DType::kFloat32;
    contiguous_ = true;
    shape_.clear();
  }
  const Shape& shape() const { return shape_; }
  int ndim() const { return shape_.ndim(); }
  std::int64_t numel() const { return numel_; }
  DType dtype() const { return dtype_; }
  const Strides& strides() const { return strides_; }
  std::int64_t offset() const { return offset_; }
  /// Row-major without gaps. True for an empty tensor.
  bool is_contiguous() const { return contiguous_; }

  /// The first element, strides to be applied by the caller. T must be the dtype's type.
  template <class T>
  const T* data() const {
    assert(kDTypeOf<T> == dtype_);
    return reinterpret_cast<const T*>(storage_->data()) + offset_;
  }
  /// The same for writing: raises the storage's version.
  template <class T>
  T* mutable_data() {
    assert(kDTypeOf<T> == dtype_);
    storage_->raise_version();
    return reinterpret_cast<T*>(storage_->data()) + offset_;
  }

  /// Reading an element of an undefined tensor is a std::invalid_argument. int64 values past 2^53
  /// lose digits as doubles.

  /// The value of a tensor with one element. @throws ShapeError otherwise
  double item() const;
  /// One element; negative indices count from the end. @throws std::out_of_range, ShapeError
  double at(std::span<const std::int64_t> index) const;
  double at(std::initializer_list<std::int64_t> index) const {
    return at(std::span<const std::int64_t>(index.begin(), index.size()));
  }
  /// All elements in row-major order, whatever the strides.
  std::vector<double> to_vector() const;

  const StoragePtr& storage() const { return storage_; }
  /// Rises with every in-place write to the storage, through whichever view; 0 if undefined.
  std::uint64_t version() const { return storage_ ? storage_->version() : 0; }

 private:
  StoragePtr storage_;
  std::int64_t offset_ = 0;
  std::int64_t numel_ = 1;
  DType dtype_ = DType::kFloat32;
  bool contiguous_ = true;
  Shape shape_;
  Strides strides_{};
};

/// All three: @throws std::invalid_argument for an undefined tensor.

/// A copy of its own, row-major.
Tensor clone(const Tensor& x);
/// x itself if it is contiguous, else a row-major copy.
Tensor contiguous(const Tensor& x);
/// x itself if it has that dtype, else a converted copy. Floats to int64 truncate; anything but 0
/// is true.
/// @throws std::invalid_argument if a NaN, an infinity or a value past 63 bits goes to int64
Tensor to(const Tensor& x, DType dtype);

}  // namespace gradwalk
