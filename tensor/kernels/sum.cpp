#include <algorithm>
#include <type_traits>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd_rows.h"

// sum and mean. float32 is added up in float64: 17 million ones stay 17 million. int64 wraps, so it
// is added up unsigned.
//
// Three ways through memory, all in its order. Rows that lie in order are added up in four vectors
// at once, a long one in pieces of fixed length. Columns are added up a strip at a time, the
// strip's sums in the first cache while the rows pass by. Anything else goes element by element.
// Pieces and strips follow from the shape alone, so the bits are the same for any number of
// threads.

namespace gradwalk::kernels {
namespace {

template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

constexpr std::int64_t kPiece = std::int64_t{1} << 16;  // elements of a long row
constexpr std::int64_t kStrip = 512;                    // columns: their sums take 4 KiB
// Half a vector of floats at a time is asked for too late by itself.
constexpr std::int64_t kAhead = 1024;

template <class T>
Sum<T> row_sum(const T* x, std::int64_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    return simd::wide_sum(n, [x](std::int64_t i, auto part) HWY_ATTR {
      __builtin_prefetch(x + i + kAhead);
      return simd::load_wide(x + i, part);
    });
  } else {
    Sum<T> total{};
    for (std::int64_t i = 0; i < n; ++i) total += static_cast<Sum<T>>(x[i]);
    return total;
  }
}

// One long row: pieces side by side, then their sums in order.
template <class T>
Sum<T> long_row_sum(const T* x, std::int64_t n) {
  if (n <= kPiece) return row_sum(x, n);
  const std::int64_t pieces = (n + kPiece - 1) / kPiece;
  Scratch<Sum<T>> sums(pieces);
  parallel_for(pieces, n / 4, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece) {
      sums[piece] = row_sum(x + piece * kPiece, std::min(kPiece, n - piece * kPiece));
    }
  });
  Sum<T> total{};
  for (std::int64_t piece = 0; piece < pieces; ++piece) total += sums[piece];
  return total;
}

template <class T, class Finish>
void sum_columns(std::int64_t rows, std::int64_t row_stride, std::int64_t columns, const T* x, T* y,
                 Finish finish) {
  const std::int64_t strips = (columns + kStrip - 1) / kStrip;
  // With too few strips for all threads, each is cut into pieces of rows as well.
  const std::int64_t rows_each = strips >= 8 ? rows : std::max<std::int64_t>(128, (rows + 15) / 16);
  const std::int64_t pieces = std::max<std::int64_t>(1, (rows + rows_each - 1) / rows_each);
  Scratch<Sum<T>> sums(pieces * columns);
  parallel_for(pieces * strips, rows * columns / 4, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t item = first; item < last; ++item) {
      const std::int64_t begin = item % strips * kStrip;
      const std::int64_t width = std::min(kStrip, columns - begin);
      const std::int64_t first_row = item / strips * rows_each;
      const std::int64_t last_row = std::min(rows, first_row + rows_each);
      Sum<T>* __restrict strip = sums.data() + item / strips * columns + begin;
      std::fill(strip, strip + width, Sum<T>{});
      for (std::int64_t row = first_row; row < last_row; ++row) {
        const T* __restrict in = x + row * row_stride + begin;
        for (std::int64_t j = 0; j < width; ++j) strip[j] += static_cast<Sum<T>>(in[j]);
      }
    }
  });
  for (std::int64_t j = 0; j < columns; ++j) {
    Sum<T> total{};
    for (std::int64_t piece = 0; piece < pieces; ++piece) total += sums[piece * columns + j];
    y[j] = finish(total);
  }
}

// Calls finish(sum) for each slice and writes what it gives.
template <class T, class Finish>
void add_up(const ReductionPlan& plan, const T* x, T* y, Finish finish) {
  const StridedLoop<1> inner = join_axes<1>(plan.inner, {&plan.inner_strides});
  const StridedLoop<1> outer = join_axes<1>(plan.outer, {&plan.outer_strides});
  const std::int64_t depth = plan.inner.numel();
  const std::int64_t slices = plan.outer.numel();
  const bool simple = depth > 0 && slices > 0 && inner.ndim <= 1 && outer.ndim <= 1;
  const std::int64_t inner_step = inner.ndim == 1 ? inner.steps[0][0] : 1;
  const std::int64_t outer_step = outer.ndim == 1 ? outer.steps[0][0] : 0;
  if (simple && inner_step == 1 && slices == 1) {
    *y = finish(long_row_sum(x, depth));
  } else if (simple && inner_step == 1) {
    parallel_for(slices, slices * depth / 4, 8, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        y[row] = finish(row_sum(x + row * outer_step, depth));
      }
    });
  } else if (simple && outer_step == 1) {
    sum_columns(depth, inner_step, slices, x, y, finish);
  } else {
    for_each_slice(plan, [&](std::int64_t offset) {
      Sum<T> total{};
      for_each_element(plan, x + offset, [&](T value) { total += static_cast<Sum<T>>(value); });
      *y++ = finish(total);
    });
  }
}

}  // namespace

template <class T>
void sum(const ReductionPlan& plan, const T* x, T* y) {
  add_up(plan, x, y, [](Sum<T> total) { return static_cast<T>(total); });
}

template <class T>
void mean(const ReductionPlan& plan, const T* x, T* y) {
  const auto count = static_cast<double>(plan.inner.numel());
  add_up(plan, x, y, [count](double total) { return static_cast<T>(total / count); });
}

template void sum(const ReductionPlan&, const float*, float*);
template void sum(const ReductionPlan&, const double*, double*);
template void sum(const ReductionPlan&, const std::int64_t*, std::int64_t*);
template void mean(const ReductionPlan&, const float*, float*);
template void mean(const ReductionPlan&, const double*, double*);

}  // namespace gradwalk::kernels
