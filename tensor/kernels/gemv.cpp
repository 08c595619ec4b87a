#include "tensor/kernels/gemv.h"

#include <algorithm>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd.h"

// Every number of the matrix is used once, so reading it is all that counts: in whole vectors, one
// after the other, as few streams at a time as keep the arithmetic busy. Rows without gaps are dot
// products, one row at a time with six sums in flight. Columns without gaps are added to y eight at
// a time, so that y is read and written once for eight columns.

namespace gradwalk::kernels {
namespace {

template <class T>
constexpr int kLanes = static_cast<int>(HWY_LANES(T));

constexpr int kSums = 6;     // hide the latency of the additions
constexpr int kColumns = 8;  // added to y at a time

// How far ahead of the row a second thread asks for its memory: far enough for DRAM.
constexpr std::int64_t kAheadBytes = 8192;

template <class T>
T dot(const T* a, const T* x, std::int64_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kStep = kSums * kLanes<T>;
  hn::Vec<decltype(d)> sum[kSums];
  HWY_UNROLL(6) for (int s = 0; s < kSums; ++s) sum[s] = hn::Zero(d);
  std::int64_t k = 0;
  for (; k + kStep <= n; k += kStep) {
    HWY_UNROLL(6) for (int s = 0; s < kSums; ++s) {
      const std::int64_t at = k + s * kLanes<T>;
      __builtin_prefetch(a + at + kAheadBytes / static_cast<std::int64_t>(sizeof(T)));
      sum[s] = hn::MulAdd(hn::LoadU(d, a + at), hn::LoadU(d, x + at), sum[s]);
    }
  }
  for (; k + kLanes<T> <= n; k += kLanes<T>) {
    sum[0] = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, x + k), sum[0]);
  }
  if (k < n) {
    const auto left = static_cast<int>(n - k);
    sum[1] = hn::MulAdd(load_first(d, a + k, left), load_first(d, x + k, left), sum[1]);
  }
  const auto total =
      hn::Add(hn::Add(hn::Add(sum[0], sum[3]), hn::Add(sum[1], sum[4])), hn::Add(sum[2], sum[5]));
  return hn::GetLane(hn::SumOfLanes(d, total));
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
  constexpr std::int64_t kRows = 16384 / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < rows; i += kRows) {
    const std::int64_t count = std::min(kRows, rows - i);
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
  parallel_for(rows, work, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      y[i] = dot(a.at(i, 0), x, depth) + (bias ? bias[i * bias_step] : T{});
    }
  });
}

template void gemv(std::int64_t, std::int64_t, MatrixView<float>, const float*, std::int64_t,
                   const float*, std::int64_t, float*);
template void gemv(std::int64_t, std::int64_t, MatrixView<double>, const double*, std::int64_t,
                   const double*, std::int64_t, double*);

}  // namespace gradwalk::kernels
