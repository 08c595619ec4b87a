#pragma once

// The softmax of attention's strips, four rows side by side: one alone would wait for its
// reductions and exponentials, which here hide behind each other.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensor/kernels/simd.h"
#include "tensor/kernels/simd_math.h"

namespace gradwalk::kernels {

inline constexpr int kRowsAtOnce = 4;

/// Four rows of scores in base 2, of which the first `columns`, whole vectors, are there. Row r
/// sees the first seen + r * seen_more of them, all if that is more.
template <class T>
struct ScoreRows {
  T* scores;
  std::int64_t row;  ///< from one row to the next
  std::int64_t columns, seen, seen_more;
};

/// What `op` makes of the 128-bit blocks of a vector, one block.
template <class D, class V, class T, class Op>
HWY_INLINE void reduce_blocks(D d, V v, T* out, Op op) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 16) {
    hn::StoreU(v, d, out);
  } else {
    const hn::Half<D> half;
    reduce_blocks(half, op(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), out, op);
  }
}

/// The reduction of four vectors, `op` of two at a time: out[r] of row r. Float vectors become
/// columns first, so that one reduction serves all four.
template <class D, class V, class T, class Op, class Reduce>
HWY_INLINE void reduce_rows(D d, const V (&rows)[kRowsAtOnce], T* out, Op op, Reduce reduce) {
  if constexpr (sizeof(T) == 4 && HWY_LANES(T) >= 4) {
    const hn::Repartition<double, D> wide;
    const V ab =
        op(hn::InterleaveLower(d, rows[0], rows[1]), hn::InterleaveUpper(d, rows[0], rows[1]));
    const V cd =
        op(hn::InterleaveLower(d, rows[2], rows[3]), hn::InterleaveUpper(d, rows[2], rows[3]));
    const auto pairs_ab = hn::BitCast(wide, ab), pairs_cd = hn::BitCast(wide, cd);
    V all =
        op(hn::BitCast(d, hn::InterleaveLower(wide, pairs_ab, pairs_cd)),
           hn::BitCast(d, hn::InterleaveUpper(wide, pairs_ab, pairs_cd)));  // a b c d in each block
    reduce_blocks(d, all, out, op);
  } else {
    for (int r = 0; r < kRowsAtOnce; ++r) out[r] = hn::GetLane(reduce(rows[r]));
  }
}

/// The largest score of each row, -inf if it sees none; NaN may be passed over. Scores that a row
/// does not see become -inf.
template <class T>
void find_largest(const ScoreRows<T>& rows, T* largest) {
  constexpr auto kStep = static_cast<std::int64_t>(HWY_LANES(T));
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V hidden = hn::Set(d, -std::numeric_limits<T>::infinity());
  V most[kRowsAtOnce] = {hidden, hidden, hidden, hidden};
  const std::int64_t by_all = std::min(rows.seen, rows.columns);
  std::int64_t j = 0;
  for (; j + kStep <= by_all; j += kStep) {
    for (int r = 0; r < kRowsAtOnce; ++r) {
      most[r] = hn::Max(most[r], hn::LoadU(d, rows.scores + r * rows.row + j));
    }
  }
  for (; j < rows.columns; j += kStep) {
    for (int r = 0; r < kRowsAtOnce; ++r) {
      T* at = rows.scores + r * rows.row + j;
      const auto left = std::clamp<std::int64_t>(rows.seen + r * rows.seen_more - j, 0, kStep);
      const auto there = hn::FirstN(d, static_cast<std::size_t>(left));
      const V scores = hn::IfThenElse(there, hn::LoadU(d, at), hidden);
      hn::StoreU(scores, d, at);
      most[r] = hn::Max(most[r], scores);
    }
  }
  reduce_rows(
      d, most, largest, [](auto a, auto b) { return hn::Max(a, b); },
      [&](V v) { return hn::MaxOfLanes(d, v); });
}

/// Scores become 2^(score - top); the sum of each row.
template <class T>
void make_weights(const ScoreRows<T>& rows, const T* top, T* sum) {
  constexpr auto kStep = static_cast<std::int64_t>(HWY_LANES(T));
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V tops[kRowsAtOnce] = {hn::Set(d, top[0]), hn::Set(d, top[1]), hn::Set(d, top[2]),
                               hn::Set(d, top[3])};
  V sums[kRowsAtOnce] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::int64_t j = 0; j < rows.columns; j += kStep) {
    for (int r = 0; r < kRowsAtOnce; ++r) {
      T* at = rows.scores + r * rows.row + j;
      const V weights = simd::exp2(d, hn::Sub(hn::LoadU(d, at), tops[r]));
      sums[r] = hn::Add(sums[r], weights);
      hn::StoreU(weights, d, at);
    }
  }
  reduce_rows(
      d, sums, sum, [](auto a, auto b) { return hn::Add(a, b); },
      [&](V v) { return hn::SumOfLanes(d, v); });
}

}  // namespace gradwalk::kernels
