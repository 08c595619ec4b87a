#include "tensor/kernels/gemm_pack.h"

#include <algorithm>

#include "tensor/kernels/gemm_tile.h"

// A square of lanes x lanes elements is transposed in registers: first the small squares within
// the 128-bit blocks of each vector, by interleaving; then the blocks among the vectors. At 16
// lanes these are 64 shuffles for 256 elements, where single elements would be 256 loads and
// stores.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kFewElements = 32;  // which go faster one by one
template <class T>
constexpr int kInBlock = static_cast<int>(16 / sizeof(T));  // elements of a 128-bit block
template <class T>
constexpr int kBlocks = kLanes<T> / kInBlock<T>;

// Transposes the 4 x 4 or 2 x 2 squares in the blocks of neighbouring vectors.
template <class D, class V>
void transpose_in_blocks(D d, V* x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V low = hn::InterleaveLower(d, x[0], x[1]);
    x[1] = hn::InterleaveUpper(d, x[0], x[1]);
    x[0] = low;
  } else {
    const hn::Repartition<double, D> wide;
    const auto pairs = [&](V v) { return hn::BitCast(wide, v); };
    const auto a = pairs(hn::InterleaveLower(d, x[0], x[1]));
    const auto b = pairs(hn::InterleaveLower(d, x[2], x[3]));
    const auto e = pairs(hn::InterleaveUpper(d, x[0], x[1]));
    const auto f = pairs(hn::InterleaveUpper(d, x[2], x[3]));
    x[0] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
    x[1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    x[2] = hn::BitCast(d, hn::InterleaveLower(wide, e, f));
    x[3] = hn::BitCast(d, hn::InterleaveUpper(wide, e, f));
  }
}

// Transposes the square of blocks that x[0], x[step], x[2 step], ... are.
template <class D, class V>
void transpose_blocks(D d, V* x, int step) {
  constexpr int kCount = kBlocks<hn::TFromD<D>>;
  static_assert(kCount == 1 || kCount == 2 || kCount == 4);
  if constexpr (kCount == 2) {
    const V low = hn::ConcatLowerLower(d, x[step], x[0]);
    x[step] = hn::ConcatUpperUpper(d, x[step], x[0]);
    x[0] = low;
  } else if constexpr (kCount == 4) {
    const auto even = [](V p, V q) { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(q), p); };
    const auto odd = [](V p, V q) { return hn::OddEvenBlocks(q, hn::SwapAdjacentBlocks(p)); };
    const V a = even(x[0], x[step]), b = odd(x[0], x[step]);
    const V e = even(x[2 * step], x[3 * step]), f = odd(x[2 * step], x[3 * step]);
    x[0] = hn::ConcatLowerLower(d, e, a);
    x[step] = hn::ConcatLowerLower(d, f, b);
    x[2 * step] = hn::ConcatUpperUpper(d, e, a);
    x[3 * step] = hn::ConcatUpperUpper(d, f, b);
  }
}

// out[i * out_row + j] = from[j * from_row + i] for i < rows, j < columns, both at most kLanes.
template <class T>
void transpose_square(const T* from, std::int64_t from_row, int rows, int columns, T* out,
                      std::int64_t out_row) {
  constexpr int kSize = kLanes<T>;
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> x[kSize];
  if (rows == kSize && columns == kSize) {
    HWY_UNROLL(16) for (int j = 0; j < kSize; ++j) x[j] = hn::LoadU(d, from + j * from_row);
  } else {
    for (int j = 0; j < kSize; ++j) {
      x[j] = j < columns ? load_first(d, from + j * from_row, rows) : hn::Zero(d);
    }
  }
  HWY_UNROLL(16) for (int j = 0; j < kSize; j += kInBlock<T>) transpose_in_blocks(d, x + j);
  HWY_UNROLL(16) for (int j = 0; j < kInBlock<T>; ++j) transpose_blocks(d, x + j, kInBlock<T>);
  if (rows == kSize && columns == kSize) {
    HWY_UNROLL(16) for (int i = 0; i < kSize; ++i) hn::StoreU(x[i], d, out + i * out_row);
  } else {
    for (int i = 0; i < rows; ++i) store_first(x[i], d, out + i * out_row, columns);
  }
}

template <class T>
void pack_rows(const T* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns,
               T* out, std::int64_t out_row) {
  const hn::ScalableTag<T> d;
  const std::int64_t whole = columns / kLanes<T> * kLanes<T>;
  const auto left = static_cast<int>(columns - whole);
  for (std::int64_t i = 0; i < rows; ++i, from += from_row, out += out_row) {
    for (std::int64_t j = 0; j < whole; j += kLanes<T>) {
      hn::StoreU(hn::LoadU(d, from + j), d, out + j);
    }
    if (left > 0) store_first(load_first(d, from + whole, left), d, out + whole, left);
  }
}

template <class T>
void pack_columns(const T* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns,
                  T* out, std::int64_t out_row) {
  for (std::int64_t j = 0; j < columns; j += kLanes<T>) {
    const auto width = static_cast<int>(std::min<std::int64_t>(kLanes<T>, columns - j));
    for (std::int64_t i = 0; i < rows; i += kLanes<T>) {
      const auto height = static_cast<int>(std::min<std::int64_t>(kLanes<T>, rows - i));
      transpose_square(from + j * from_row + i, from_row, height, width, out + i * out_row + j,
                       out_row);
    }
  }
}

}  // namespace

template <class T>
void pack(MatrixView<T> from, std::int64_t rows, std::int64_t columns, T* out,
          std::int64_t out_row) {
  if (from.column_stride == 1) {
    pack_rows(from.data, from.row_stride, rows, columns, out, out_row);
  } else if (from.row_stride == 1 && rows * columns > kFewElements) {
    pack_columns(from.data, from.column_stride, rows, columns, out, out_row);
  } else {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) out[i * out_row + j] = *from.at(i, j);
    }
  }
}

template void pack(MatrixView<float>, std::int64_t, std::int64_t, float*, std::int64_t);
template void pack(MatrixView<double>, std::int64_t, std::int64_t, double*, std::int64_t);

}  // namespace gradwalk::kernels
