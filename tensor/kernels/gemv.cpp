#include "tensor/kernels/gemv.h"

#include <algorithm>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd.h"

// Every number of the matrix is used once, so reading it is all that counts: in whole vectors, one
// after the other. Rows without gaps are dot products, four rows at a time. Columns without gaps
// are added to y eight at a time, so that y is read and written once for eight columns.

namespace gradwalk::kernels {
namespace {

template <class T>
constexpr int kLanes = static_cast<int>(HWY_LANES(T));

constexpr int kRows = 4;     // read at a time, for each number of x that is loaded
constexpr int kSums = 2;     // of each row: with four rows they hide the latency of an addition
constexpr int kColumns = 8;  // added to y at a time

// A matrix is asked for this far ahead, which is far enough for DRAM, unless it is so small that it
// may well be in L2: a layer's weights are not, since the others were read since. Where they are,
// asking costs a tenth.
constexpr std::int64_t kAheadBytes = 4096;
constexpr std::int64_t kInCache = std::int64_t{256} << 10;

// The products of kCount rows with x. A row is summed in the same order whatever kCount is.
template <int kCount, bool kAhead, class T>
void dot_rows(const T* a, std::int64_t a_row, const T* x, std::int64_t n, T* y) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kStep = kSums * kLanes<T>;
  hn::Vec<decltype(d)> sum[kCount][kSums];
  HWY_UNROLL(4) for (int i = 0; i < kCount; ++i) {
    HWY_UNROLL(2) for (int s = 0; s < kSums; ++s) sum[i][s] = hn::Zero(d);
  }
  std::int64_t k = 0;
  for (; k + kStep <= n; k += kStep) {
    HWY_UNROLL(2) for (int s = 0; s < kSums; ++s) {
      const std::int64_t at = k + s * kLanes<T>;
      const auto factor = hn::LoadU(d, x + at);
      HWY_UNROLL(4) for (int i = 0; i < kCount; ++i) {
        const T* from = a + i * a_row + at;
        if (kAhead) __builtin_prefetch(from + kAheadBytes / static_cast<std::int64_t>(sizeof(T)));
        sum[i][s] = hn::MulAdd(hn::LoadU(d, from), factor, sum[i][s]);
      }
    }
  }
  for (int s = 0; k < n; k += kLanes<T>, ++s) {
    const auto left = static_cast<int>(std::min<std::int64_t>(kLanes<T>, n - k));
    const auto factor = load_first(d, x + k, left);
    HWY_UNROLL(4) for (int i = 0; i < kCount; ++i) {
      sum[i][s] = hn::MulAdd(load_first(d, a + i * a_row + k, left), factor, sum[i][s]);
    }
  }
  HWY_UNROLL(4) for (int i = 0; i < kCount; ++i) {
    y[i] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[i][0], sum[i][1])));
  }
}

template <bool kAhead, class T>
void all_rows(std::int64_t rows, std::int64_t depth, const T* a, std::int64_t a_row, const T* x,
              T* y) {
  std::int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) {
    dot_rows<kRows, kAhead>(a + i * a_row, a_row, x, depth, y + i);
  }
  for (; i < rows; ++i) dot_rows<1, kAhead>(a + i * a_row, a_row, x, depth, y + i);
}

// y[i] += sum over kCount columns of a, for i < n.
template <int kCount, class T>
void add_columns(const T* a, std::int64_t a_column, const T* x, std::int64_t x_step, std::int64_t n,
                 T* y) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> factor[kCount];
  for (int k = 0; k < kCount; ++k) factor[k] = hn::Set(d, x[k * x_step]);
  const auto sum_at = [&](std::int64_t i, auto load) {
    auto sum = hn::Mul(factor[0], load(a + i));
    HWY_UNROLL(8) for (int k = 1; k < kCount; ++k) {
      sum = hn::MulAdd(factor[k], load(a + k * a_column + i), sum);
    }
    return hn::Add(load(y + i), sum);
  };
  std::int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) {
    hn::StoreU(sum_at(i, [&](const T* from) { return hn::LoadU(d, from); }), d, y + i);
  }
  if (i < n) {
    const auto left = static_cast<int>(n - i);
    store_first(sum_at(i, [&](const T* from) { return load_first(d, from, left); }), d, y + i,
                left);
  }
}

template <class T>
void sum_columns(std::int64_t rows, std::int64_t depth, const T* a, std::int64_t a_column,
                 const T* x, std::int64_t x_step, const T* bias, std::int64_t bias_step, T* y) {
  // As much of y as stays in L1.
  constexpr std::int64_t kPart = 16384 / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < rows; i += kPart) {
    const std::int64_t count = std::min(kPart, rows - i);
    for (std::int64_t j = i; j < i + count; ++j) y[j] = bias ? bias[j * bias_step] : T{};
    std::int64_t k = 0;
    for (; k + kColumns <= depth; k += kColumns) {
      add_columns<kColumns>(a + k * a_column + i, a_column, x + k * x_step, x_step, count, y + i);
    }
    for (; k < depth; ++k) {
      add_columns<1>(a + k * a_column + i, a_column, x + k * x_step, x_step, count, y + i);
    }
  }
}

}  // namespace

template <class T>
void gemv(std::int64_t rows, std::int64_t depth, MatrixView<T> a, const T* x, std::int64_t x_step,
          const T* bias, std::int64_t bias_step, T* y) {
  // A core reads some 16 bytes a nanosecond, from cache more.
  const std::int64_t work = rows * depth * static_cast<std::int64_t>(sizeof(T)) / 20;
  if (a.column_stride != 1) {
    parallel_for(rows, work, kLanes<T>, [&](std::int64_t first, std::int64_t last) {
      sum_columns(last - first, depth, a.at(first, 0), a.column_stride, x, x_step,
                  bias ? bias + first * bias_step : nullptr, bias_step, y + first);
    });
    return;
  }
  Scratch<T> beside(x_step == 1 ? 0 : depth);
  if (x_step != 1) {
    for (std::int64_t k = 0; k < depth; ++k) beside[k] = x[k * x_step];
    x = beside.data();
  }
  const bool ahead = rows * depth * static_cast<std::int64_t>(sizeof(T)) > kInCache;
  parallel_for(rows, work, 1, [&](std::int64_t first, std::int64_t last) {
    const auto sums = ahead ? all_rows<true, T> : all_rows<false, T>;
    sums(last - first, depth, a.at(first, 0), a.row_stride, x, y + first);
    if (bias == nullptr) return;
    for (std::int64_t i = first; i < last; ++i) y[i] += bias[i * bias_step];
  });
}

template void gemv(std::int64_t, std::int64_t, MatrixView<float>, const float*, std::int64_t,
                   const float*, std::int64_t, float*);
template void gemv(std::int64_t, std::int64_t, MatrixView<double>, const double*, std::int64_t,
                   const double*, std::int64_t, double*);

}  // namespace gradwalk::kernels
