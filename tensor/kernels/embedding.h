#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Ids, each in [0, rows), that look up rows of `width` elements.
struct Lookup {
  std::int64_t count;
  const std::int64_t* ids;
  std::int64_t rows;
  std::int64_t width;
};

/// The table, with its strides.
template <class T>
struct Table {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// y [count, width], contiguous. float, double.
template <class T>
void embedding(const Lookup& lookup, const Table<T>& weight, T* y);
/// dy [count, width] and dweight [rows, width], contiguous; every element of dweight is written.
template <class T>
void embedding_backward(const Lookup& lookup, const T* dy, T* dweight);

}  // namespace gradwalk::kernels
