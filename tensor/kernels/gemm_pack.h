#pragma once

#include "tensor/kernels/matrix_view.h"

namespace gradwalk::kernels {

/// Copies `from` [rows, columns] to rows that lie `out_row` elements apart, each without gaps: what
/// a tile (gemm_tile.h) reads as B. Any strides; columns or rows beside each other go by whole
/// vectors, the latter through a transpose in registers. float, double. One thread.
template <class T>
void pack(MatrixView<T> from, std::int64_t rows, std::int64_t columns, T* out,
          std::int64_t out_row);

}  // namespace gradwalk::kernels
