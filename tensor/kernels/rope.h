#pragma once

#include <cstdint>

#include "tensor/kernels/heads_view.h"
#include "tensor/kernels/scratch.h"
#include "tensor/rope.h"

namespace gradwalk::kernels {

/// `batch` * `heads` matrices of `rows` positions with 2 * `pairs` features each.
struct RopeSizes {
  std::int64_t batch, heads, rows, pairs;
};

/// Cosine and sine of every angle, made once for all heads; computed in float64.
///
/// Interleaved, both tables are [rows, 2 pairs] and stand under the features: the cosine twice, and
/// -sine, sine. In halves they are [rows, pairs].
template <class T>
struct RopeTable {
  /// @param sign  1, or -1 for the way back
  RopeTable(RopeSizes table_sizes, const std::int64_t* positions, std::int64_t position_step,
            const RopeOptions& options, double sign);

  RopeSizes sizes;
  RopeLayout layout;
  std::int64_t row;  ///< from one row of a table to the next
  Scratch<T> cosines, sines;
};

/// Turns all matrices. The columns of y lie beside each other. float, double.
template <class T>
void rope(const RopeTable<T>& table, HeadsView<const T> x, HeadsView<T> y);

}  // namespace gradwalk::kernels
