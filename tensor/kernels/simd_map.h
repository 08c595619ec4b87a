#pragma once

// y_i = f(x_i, ...) for functions that cost more than the memory they read: f is called with whole
// vectors, f(d, x, ...), and gives one. Rows that are contiguous in all operands are read in place
// and split over the threads; others are gathered into a block in the cache first.

#include <algorithm>
#include <array>

#include "tensor/kernels/map.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

namespace gradwalk::kernels::simd {

template <class T, class F, class... X>
HWY_INLINE void map_contiguous(std::int64_t n, T* y, F f, const X*... x) {
  const hn::ScalableTag<T> d;
  for_each_vector(d, n, [&](std::int64_t i, auto part) HWY_ATTR {
    store(f(d, load(d, x + i, part)...), d, y + i, part);
  });
}

/// y contiguous. @param work  of an element, in nanoseconds
template <class T, class F, std::size_t... K>
void map_views(const Shape& shape, std::array<View<T>, sizeof...(K)> x, T* y, double work, F f,
               std::index_sequence<K...>) {
  constexpr int kOperands = static_cast<int>(sizeof...(K));
  constexpr std::int64_t kBlock = 512;
  const auto row = [&](const Offsets<kOperands>& at, std::int64_t n,
                       const Offsets<kOperands>& step) {
    if (((step[K] == 1) && ...) || n == 1) {
      const auto all = static_cast<std::int64_t>(work * static_cast<double>(n));
      parallel_for(n, all, kBlock, [&](std::int64_t first, std::int64_t last) {
        map_contiguous(last - first, y + first, f, (x[K].data + at[K] + first)...);
      });
    } else {
      HWY_ALIGN T block[kOperands][kBlock];
      for (std::int64_t done = 0; done < n; done += kBlock) {
        const std::int64_t count = std::min(kBlock, n - done);
        const auto gather = [&](std::size_t k) {
          const T* from = x[k].data + at[k] + done * step[k];
          for (std::int64_t i = 0; i < count; ++i) block[k][i] = from[i * step[k]];
        };
        (gather(K), ...);
        map_contiguous(count, y + done, f, static_cast<const T*>(block[K])...);
      }
    }
    y += n;
  };
  for_each_row<kOperands>(shape, {x[K].strides...}, row);
}

template <class T, class F>
void map(const Shape& shape, View<T> x, T* y, double work, F f) {
  map_views<T>(shape, {x}, y, work, f, std::make_index_sequence<1>());
}
template <class T, class F>
void map(const Shape& shape, View<T> a, View<T> b, T* y, double work, F f) {
  map_views<T>(shape, {a, b}, y, work, f, std::make_index_sequence<2>());
}

}  // namespace gradwalk::kernels::simd
