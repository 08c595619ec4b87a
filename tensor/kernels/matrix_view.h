#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// A matrix in place: element [i, j] is data[i * row_stride + j * column_stride].
template <class T>
struct MatrixView {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  const T* at(std::int64_t i, std::int64_t j) const {
    return data + i * row_stride + j * column_stride;
  }
  MatrixView from(std::int64_t i, std::int64_t j) const {
    return {at(i, j), row_stride, column_stride};
  }
  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

}  // namespace gradwalk::kernels
