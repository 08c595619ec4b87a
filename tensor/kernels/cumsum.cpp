#include "tensor/kernels/cumsum.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "tensor/kernels/parallel.h"

// A line is what is added up: the elements along the axis at one place of the other axes. The lines
// of neighbours in memory go together, a strip of them, row by row, with their totals in the first
// cache; along the last axis a line has no neighbour and goes alone. Threads split the lines, and
// each is added up in its own order whatever the strip it is in.

namespace gradwalk::kernels {
namespace {

// int64 wraps, so it is added up unsigned.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

// What to begin with: -0 and not 0, which would make 0 of a first element that is -0.
template <class T>
constexpr auto kNothing = static_cast<Sum<T>>(-0.0);

constexpr std::int64_t kStrip = 2048;  // lines: their totals take 16 KiB
constexpr std::int64_t kGrain = 16;    // lines: a cache line of float32

// One line, whose neighbours lie `step` apart.
template <class T>
void add_up_line(std::int64_t rows, std::int64_t step, const T* x, T* y) {
  Sum<T> total = kNothing<T>;
  for (std::int64_t i = 0; i < rows; ++i) {
    total += static_cast<Sum<T>>(x[i * step]);
    y[i * step] = static_cast<T>(total);
  }
}

// `width` lines side by side.
template <class T>
void add_up_strip(std::int64_t rows, std::int64_t step, std::int64_t width, const T* x, T* y) {
  std::array<Sum<T>, kStrip> totals;
  std::fill_n(totals.begin(), width, kNothing<T>);
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* __restrict in = x + i * step;
    T* __restrict out = y + i * step;
    Sum<T>* __restrict total = totals.data();
    for (std::int64_t j = 0; j < width; ++j) {
      total[j] += static_cast<Sum<T>>(in[j]);
      out[j] = static_cast<T>(total[j]);
    }
  }
}

}  // namespace

template <class T>
void cumsum(const Shape& shape, int axis, bool reversed, const T* x, T* y) {
  const std::int64_t rows = shape[axis];
  std::int64_t inner = 1;
  for (int i = axis + 1; i < shape.ndim(); ++i) inner *= shape[i];
  const std::int64_t numel = shape.numel();
  const std::int64_t begin = reversed ? (rows - 1) * inner : 0;
  const std::int64_t step = reversed ? -inner : inner;
  const std::int64_t work = inner == 1 ? numel : numel / 4;
  parallel_for(numel / rows, work, std::min(inner, kGrain),
               [&](std::int64_t first, std::int64_t last) {
                 while (first < last) {
                   const std::int64_t column = first % inner;
                   const std::int64_t width = std::min({kStrip, inner - column, last - first});
                   const std::int64_t at = first / inner * rows * inner + begin + column;
                   if (width == 1) {
                     add_up_line(rows, step, x + at, y + at);
                   } else {
                     add_up_strip(rows, step, width, x + at, y + at);
                   }
                   first += width;
                 }
               });
}

template void cumsum(const Shape&, int, bool, const float*, float*);
template void cumsum(const Shape&, int, bool, const double*, double*);
template void cumsum(const Shape&, int, bool, const std::int64_t*, std::int64_t*);

}  // namespace gradwalk::kernels
