#pragma once

#include <cstdint>
#include <type_traits>

#include "tensor/kernels/matrix_view.h"

namespace gradwalk::kernels {

/// The heads of an operand in place, at any strides: element [b, h, i, c].
template <class T>
struct HeadsView {
  T* data;
  std::int64_t batch, head, row, column;  ///< strides

  T* at(std::int64_t b, std::int64_t h, std::int64_t i = 0) const {
    return data + b * batch + h * head + i * row;
  }
  MatrixView<std::remove_const_t<T>> of(std::int64_t b, std::int64_t h, std::int64_t i = 0) const {
    return {at(b, h, i), row, column};
  }
};

}  // namespace gradwalk::kernels
