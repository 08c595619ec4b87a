#pragma once

// The heart of every matrix product: a tile of C, at most 8 rows by 3 vectors, that stays in
// registers while k runs.
//
// For each k the tile reads its vectors of B's row once and one number of A for each row, and does
// rows * vectors multiply-adds: 24 for 11 loads at 8 x 3, so the loads hide behind the arithmetic.
// 8 x 3 sums, 3 vectors of B and one number of A fill 28 of the 32 registers of AVX-512; with 16
// registers (AVX2, SSE) 6 x 2 is what fits. A is read in place by broadcast, at any strides, so a
// transposed A costs no copy; B needs its columns beside each other.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "tensor/kernels/simd.h"

namespace gradwalk::kernels {

#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int kTileRows = 8;     ///< of the largest tile
inline constexpr int kTileVectors = 3;  ///< columns of the largest tile, in vectors
#else
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 2;
#endif

template <class T>
inline constexpr int kLanes = static_cast<int>(HWY_LANES(T));
/// Columns of the largest tile.
template <class T>
inline constexpr int kTileColumns = kTileVectors* kLanes<T>;

/// C = A B or C = A B + addend, with A [rows, depth], B [depth, columns].
///
///   A[i, k] = a[i * a_row + k * a_step]      B[k, j] = b[k * b_row + j]
///   C[i, j] = c[i * c_row + j]               addend[i, j] = addend[i * addend_row + j]
///
/// The addend is null (none), C itself (C += A B), or a bias (addend_row = 0). The sum over k runs
/// in the order of k, one rounding each (a fused multiply-add, where the target has one), from
/// zero; the addend comes last. Depth 0 gives the addend, or zeros.
template <class T>
struct TileProduct {
  const T* a;
  std::int64_t a_row, a_step;
  const T* b;
  std::int64_t b_row;
  std::int64_t depth;
  const T* addend;
  std::int64_t addend_row;
  T* c;
  std::int64_t c_row;
  /// What the next tile will read of A, if known: for each k the line at ahead + k * ahead_step is
  /// fetched. It is not read, and may lie outside the operands.
  const T* ahead = nullptr;
  std::int64_t ahead_step = 0;
};

/// The tile of kRows rows and kVectors vectors of columns; unless kWhole, only the first `last`
/// lanes of the last vector exist: nothing is read or written past them.
template <int kRows, int kVectors, bool kWhole, class T>
void compute_tile(const TileProduct<T>& product, int last) {
  // Copies, which no store to C can alias; one by one, for a wide load of fields just written
  // stalls.
  const T* a = product.a;
  const T* b = product.b;
  const std::int64_t a_row = product.a_row, a_step = product.a_step, b_row = product.b_row;
  const T* const addend = product.addend;
  const std::int64_t addend_row = product.addend_row, c_row = product.c_row;
  T* const c = product.c;
  const T* ahead = product.ahead ? product.ahead : a;
  const std::int64_t ahead_step = product.ahead_step;
  const hn::ScalableTag<T> d;
  using Vector = hn::Vec<decltype(d)>;
  const auto load = [&](const T* from, int v) {
    const T* at = from + v * kLanes<T>;
    return kWhole || v + 1 < kVectors ? hn::LoadU(d, at) : load_first(d, at, last);
  };
  // The tile's part of C is on its way while k runs.
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) {
      __builtin_prefetch(c + i * c_row + v * kLanes<T>, /*write=*/1);
    }
  }
  Vector sum[kRows][kVectors];
  HWY_UNROLL(8) for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(3) for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::Zero(d);
  }
  for (std::int64_t k = product.depth; k > 0; --k, a += a_step, b += b_row, ahead += ahead_step) {
    if (kVectors > 1) __builtin_prefetch(ahead);  // a narrow tile is bound by its loads
    Vector row[kVectors];
    HWY_UNROLL(3) for (int v = 0; v < kVectors; ++v) row[v] = load(b, v);
    HWY_UNROLL(8) for (int i = 0; i < kRows; ++i) {
      const Vector factor = hn::Set(d, a[i * a_row]);
      HWY_UNROLL(3) for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::MulAdd(factor, row[v], sum[i][v]);
      }
    }
  }
  if (addend) {
    HWY_UNROLL(8) for (int i = 0; i < kRows; ++i) {
      HWY_UNROLL(3) for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::Add(load(addend + i * addend_row, v), sum[i][v]);
      }
    }
  }
  HWY_UNROLL(8) for (int i = 0; i < kRows; ++i) {
    T* const into = c + i * c_row;
    HWY_UNROLL(3) for (int v = 0; v < kVectors; ++v) {
      if (kWhole || v + 1 < kVectors) {
        hn::StoreU(sum[i][v], d, into + v * kLanes<T>);
      } else {
        store_first(sum[i][v], d, into + v * kLanes<T>, last);
      }
    }
  }
}

/// compute_tile for sizes known at run time: 1 <= rows <= kTileRows, 1 <= columns <= kTileColumns.
/// float, double.
template <class T>
void compute_tile(const TileProduct<T>& product, int rows, int columns);

/// The same for any number of rows and columns: tile after tile, down each panel of `panel`
/// columns, which is then read again from the nearest cache. One thread.
///
/// @param panel  most columns of a tile: a multiple of the vector's lanes, at most kTileColumns
template <class T>
void compute_tiles(const TileProduct<T>& product, std::int64_t rows, std::int64_t columns,
                   int panel);

}  // namespace gradwalk::kernels
