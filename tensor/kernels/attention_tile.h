#pragma once

// What attention does with a tile of scores, forward and backward: a strip of queries, as many as
// the register tile of a product has rows, against a tile of keys.
//
// What many strips read goes into panels first, whatever its strides: a product then reads memory
// from front to back and always whole vectors. Queries are copied with the scale and log2(e) folded
// in, so that scores are powers of two: exp2 needs no more, and the largest score is the largest
// whatever the sign of the scale.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/gemm_tile.h"
#include "tensor/kernels/simd.h"

namespace gradwalk::kernels {

/// The score of a hidden key.
template <class T>
inline constexpr T kHidden = -std::numeric_limits<T>::infinity();

/// `count` rounded up to whole vectors.
template <class T>
constexpr std::int64_t whole_vectors(std::int64_t count) {
  return (count + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

/// [0, count) cut into pieces of at most `most`, as even as can be: 9 rows are 5 and 4.
struct EvenCut {
  std::int64_t count, pieces;

  EvenCut(std::int64_t of, std::int64_t most) : count(of), pieces((of + most - 1) / most) {}
  std::int64_t begin(std::int64_t piece) const { return count * piece / pieces; }
};

/// Working memory of one thread, cut into arrays that begin at cache lines.
class MemoryPlan {
 public:
  /// The offset of an array of `count` numbers of type T.
  template <class T>
  std::int64_t take(std::int64_t count) {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    const std::int64_t offset = total_;
    total_ += (count + kLine - 1) / kLine * kLine;
    return offset;
  }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t total_ = 0;
};

/// A matrix [rows, columns] as panels of `width` columns, which a product reads one after the
/// other. As a copy each panel is [rows, width] without gaps, and the last one is filled up with
/// zeros.
template <class T>
class Panels {
 public:
  /// @param memory  of size(rows, columns, width) numbers at least
  Panels(T* memory, int width) : memory_(memory), data_(memory), width_(width) {}

  /// As wide as a tile, or narrower where that makes the panels more even.
  static int even_width(std::int64_t columns) {
    const std::int64_t vectors = std::max<std::int64_t>(1, whole_vectors<T>(columns) / kLanes<T>);
    const std::int64_t panels = (vectors + kTileVectors - 1) / kTileVectors;
    return static_cast<int>((vectors + panels - 1) / panels) * kLanes<T>;
  }
  /// Numbers that the panels of a matrix take.
  static std::int64_t size(std::int64_t rows, std::int64_t columns, int width) {
    return rows * ((columns + width - 1) / width * width);
  }

  void copy(MatrixView<T> from, std::int64_t rows, std::int64_t columns);
  /// The rows that hold a NaN or infinity as zeros, marked in `odd` [rows]: returns whether there
  /// are any, else `odd` means nothing. In place, where rows are whole vectors behind each other
  /// and all are finite.
  bool read_finite(MatrixView<T> from, std::int64_t rows, std::int64_t columns, T* odd);

  int width() const { return width_; }
  std::int64_t row_step() const { return row_step_; }
  const T* at(std::int64_t row, std::int64_t panel) const {
    return data_ + row * row_step_ + panel * panel_step_;
  }
  /// The same without the first panels.
  Panels from(std::int64_t panel) const {
    Panels rest = *this;
    rest.data_ = at(0, panel);
    return rest;
  }

 private:
  T* memory_;
  const T* data_;
  int width_;
  std::int64_t row_step_ = 0, panel_step_ = 0;
};

/// c = a b for a strip of `rows` rows, or c += a b: a [rows, depth] at any strides, b the panels'
/// rows first, ..., first + depth - 1, of which `columns` columns.
template <class T>
void multiply(MatrixView<T> a, std::int64_t rows, const Panels<T>& b, std::int64_t first,
              std::int64_t depth, std::int64_t columns, bool add, T* c, std::int64_t c_row) {
  for (std::int64_t panel = 0; panel * b.width() < columns; ++panel) {
    const std::int64_t j = panel * b.width();
    compute_tile<T>({a.data, a.row_stride, a.column_stride, b.at(first, panel), b.row_step(), depth,
                     add ? c + j : nullptr, c_row, c + j, c_row},
                    static_cast<int>(rows),
                    static_cast<int>(std::min<std::int64_t>(b.width(), columns - j)));
  }
}

/// `rows` rows of queries times scale log2(e), [rows, head_dim] without gaps.
template <class T>
void scale_queries(const AttentionHeads<T>& heads, MatrixView<T> query, std::int64_t rows, T* out);

/// Where the strip stands: batch entry, query head, first query and number of queries.
struct StripAt {
  std::int64_t batch, head, query;
  int rows;
};

/// Scores in base 2 of a strip's queries and the keys begin, ..., end - 1, [rows, .] at `row`
/// numbers from one to the next; -inf where a mask of the options hides a key. Beyond a query's
/// visible_end they mean nothing. Columns up to the next whole vector are written.
///
/// @param queries  what scale_queries made of the strip
/// @param keys     the transposed keys, of which `begin` begins a panel; the first of them is key
///                 `keys_from`
template <class T>
void strip_scores(const AttentionHeads<T>& heads, const StripAt& at, const T* queries,
                  const Panels<T>& keys, std::int64_t keys_from, std::int64_t begin,
                  std::int64_t end, T* scores, std::int64_t row);

/// What the masks of the options do to such scores.
template <class T>
void mask_scores(const AttentionHeads<T>& heads, const StripAt& at, std::int64_t begin,
                 std::int64_t end, T* scores, std::int64_t row);

}  // namespace gradwalk::kernels
