#include "tensor/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tensor/detail/checks.h"
#include "tensor/detail/convert.h"
#include "tensor/detail/dispatch.h"
#include "tensor/error.h"
#include "tensor/kernels/copy.h"
#include "tensor/kernels/strided.h"

namespace gradwalk {
namespace {

// What the constructor could not do in its one loop: says what is wrong with a shape.
[[noreturn]] void throw_impossible(const char* op, const Shape& shape, DType dtype) {
  check_numel(op, shape);
  throw_shape_error(op, "at most 2^63 - 1 bytes",
                    fmt::format("more, at {} bytes an element", size_of(dtype)),
                    {{"shape", shape}});
}

bool lies_in_order(const Shape& shape, const Strides& strides) {
  std::int64_t step = 1;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[static_cast<std::size_t>(axis)] != step) return false;
    step *= shape[axis];
  }
  return true;
}

}  // namespace

// Strides, elements and bytes in one loop. A product that wraps would give a block smaller than the
// shape says; once a size is 0 the others may be as large as they like.
Tensor::Tensor(const char* op, const Shape& shape, DType dtype) : dtype_(dtype), shape_(shape) {
  bool fits = true;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    strides_[static_cast<std::size_t>(axis)] = numel_;
    fits = fits && shape[axis] >= 0 && !__builtin_mul_overflow(numel_, shape[axis], &numel_);
  }
  std::int64_t bytes = 0;
  fits = fits && !__builtin_mul_overflow(numel_, size_of(dtype), &bytes);
  if (!fits || numel_ == 0) [[unlikely]] {
    check_numel(op, shape);
    numel_ = shape.numel();
    if (numel_ != 0) throw_impossible(op, shape, dtype);
    strides_ = Strides{};
    bytes = 0;
  }
  storage_ = StoragePtr::allocate(bytes);
}

Tensor::Tensor(const Tensor& base, const Shape& shape, const Strides& strides, std::int64_t offset)
    : storage_(base.storage_),
      offset_(offset),
      numel_(shape.numel()),
      dtype_(base.dtype_),
      contiguous_(numel_ == 0 || lies_in_order(shape, strides)),
      shape_(shape),
      strides_(strides) {}

double Tensor::item() const {
  check_defined("item", *this);
  if (numel() != 1) {
    throw_shape_error("item", "a tensor with one element", fmt::format("{}", numel()),
                      {{"x", shape_}});
  }
  return visit_dtype(dtype_,
                     [&](auto zero) { return static_cast<double>(*data<decltype(zero)>()); });
}

double Tensor::at(std::span<const std::int64_t> index) const {
  check_defined("at", *this);
  if (static_cast<int>(index.size()) != ndim()) {
    throw_shape_error("at", fmt::format("{} indices", ndim()), fmt::format("{}", index.size()),
                      {{"x", shape_}});
  }
  std::int64_t position = 0;
  for (int axis = 0; axis < ndim(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t size = shape_[axis];
    if (index[i] < -size || index[i] >= size) {
      throw std::out_of_range(
          error_text("at", fmt::format("index {} in [{}, {})", axis, -size, size),
                     fmt::format("[{}]", fmt::join(index, ", ")), {{"x", shape_}}));
    }
    position += (index[i] < 0 ? index[i] + size : index[i]) * strides_[i];
  }
  return visit_dtype(
      dtype_, [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[position]); });
}

std::vector<double> Tensor::to_vector() const {
  check_defined("to_vector", *this);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(numel()));
  visit_dtype(dtype_, [&](auto zero) {
    using T = decltype(zero);
    const T* x = data<T>();
    kernels::for_each_row<1>(
        shape_, {&strides_},
        [&](const kernels::Offsets<1>& at, std::int64_t n, const kernels::Offsets<1>& step) {
          for (std::int64_t i = 0; i < n; ++i) {
            values.push_back(static_cast<double>(x[at[0] + i * step[0]]));
          }
        });
  });
  return values;
}

namespace {

template <class To, class From>
void convert_into(const char* op, const Tensor& x, Tensor& y) {
  const From* from = x.data<From>();
  To* out = y.mutable_data<To>();
  kernels::for_each_row<1>(
      x.shape(), {&x.strides()},
      [&](const kernels::Offsets<1>& at, std::int64_t n, const kernels::Offsets<1>& step) {
        for (std::int64_t i = 0; i < n; ++i) {
          *out++ = convert<To>(op, from[at[0] + i * step[0]]);
        }
      });
}

Tensor copy_as(const char* op, const Tensor& x, DType dtype) {
  Tensor y(op, x.shape(), dtype);
  if (dtype == x.dtype()) {
    visit_dtype(dtype, [&](auto zero) {
      using T = decltype(zero);
      kernels::copy(x.shape(), x.data<T>(), x.strides(), y.mutable_data<T>());
    });
    return y;
  }
  visit_dtype(x.dtype(), [&](auto from) {
    visit_dtype(dtype, [&](auto into) { convert_into<decltype(into), decltype(from)>(op, x, y); });
  });
  return y;
}

}  // namespace

Tensor clone(const Tensor& x) {
  check_defined("clone", x);
  return copy_as("clone", x, x.dtype());
}

Tensor contiguous(const Tensor& x) {
  check_defined("contiguous", x);
  return x.is_contiguous() ? x : copy_as("contiguous", x, x.dtype());
}

Tensor to(const Tensor& x, DType dtype) {
  check_defined("to", x);
  return x.dtype() == dtype ? x : copy_as("to", x, dtype);
}

}  // namespace gradwalk
