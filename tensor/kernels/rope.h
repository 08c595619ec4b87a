#pragma once

#include <cstdint>
#include <vector>

#include "tensor/kernels/matmul.h"
#include "tensor/rope.h"

namespace gradwalk::kernels {

/// A matrix of `rows` positions with 2 * `pairs` features each.
struct RopeSizes {
  std::int64_t rows, pairs;
};

/// Cosine and sine of every angle, made once for all heads.
struct RopeTable {
  /// @param sign  1, or -1 for the way back
  RopeTable(RopeSizes table_sizes, const std::int64_t* positions, std::int64_t position_step,
            double base, double sign);

  RopeSizes sizes;
  std::vector<double> cosines, sines;  // [rows, pairs]
};

/// Turns one matrix; y is contiguous. float, double.
template <class T>
void rope(const RopeTable& table, RopeLayout layout, MatrixView<T> x, T* y);

}  // namespace gradwalk::kernels
