#pragma once

// y_i = f(a_i, b_i, ...): what every elementwise kernel does, with f inlined into the loop. Where
// all operands lie in row-major order it is one loop, split between threads if it is long, and
// streamed (stream.h) if the result is larger than the caches. Others are walked row by row
// (strided.h), and the cases that matter, neighbours in memory and one number against a row, are
// written apart, so that the compiler vectorises them.

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/stream.h"
#include "tensor/kernels/strided_threads.h"

namespace gradwalk::kernels {

/// An operand: its first element, its strides (0 along a stretched axis), and the number of its
/// elements if they lie in row-major order without gaps, else -1.
template <class T>
struct View {
  const T* data;
  const Strides* strides;
  std::int64_t dense = -1;
};

/// Elements of a piece of work that one thread does: a cache line or more of each operand.
inline constexpr std::int64_t kMapGrain = 64;

/// for_each_row_in_threads for work of about a nanosecond an element.
template <int N, class F>
void for_each_map_row(const Shape& shape,
                      const std::array<const Strides*, static_cast<std::size_t>(N)>& strides,
                      F&& f) {
  const std::int64_t numel = shape.numel();
  if (numel > 0) for_each_row_in_threads<N>(join_axes<N>(shape, strides), numel, f);
}

/// y contiguous, apart from x; f takes an X and returns a Y.
template <class X, class Y, class F>
void map(const Shape& shape, View<X> x, Y* y, F f) {
  if (x.dense >= 0) {
    const auto compute = [=](std::int64_t at, std::int64_t n, Y* __restrict out) {
      const X* __restrict px = x.data + at;
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(px[i]);
    };
    parallel_for(x.dense, x.dense, kMapGrain, [=](std::int64_t first, std::int64_t last) {
      make(first, last, streams<Y>(x.dense), y, compute, x.data);
    });
    return;
  }
  for_each_map_row<1>(
      shape, {x.strides},
      [=](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step, std::int64_t done) {
        const X* px = x.data + at[0];
        Y* py = y + done;
        if (step[0] == 1) {
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(px[i]);
        } else {
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(px[i * step[0]]);
        }
      });
}

template <class A, class B, class Y, class F>
void map(const Shape& shape, View<A> a, View<B> b, Y* y, F f) {
  if (a.dense >= 0 && b.dense >= 0) {
    const auto compute = [=](std::int64_t at, std::int64_t n, Y* __restrict out) {
      const A* __restrict pa = a.data + at;
      const B* __restrict pb = b.data + at;
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(pa[i], pb[i]);
    };
    parallel_for(a.dense, a.dense, kMapGrain, [=](std::int64_t first, std::int64_t last) {
      make(first, last, streams<Y>(a.dense), y, compute, a.data, b.data);
    });
    return;
  }
  for_each_map_row<2>(
      shape, {a.strides, b.strides},
      [=](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step, std::int64_t done) {
        const A* pa = a.data + at[0];
        const B* pb = b.data + at[1];
        Y* __restrict py = y + done;
        if (step[0] == 1 && step[1] == 1) {
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(pa[i], pb[i]);
        } else if (step[0] == 1 && step[1] == 0) {
          const B value = *pb;
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(pa[i], value);
        } else {
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(pa[i * step[0]], pb[i * step[1]]);
        }
      });
}

template <class A, class B, class C, class Y, class F>
void map(const Shape& shape, View<A> a, View<B> b, View<C> c, Y* y, F f) {
  if (a.dense >= 0 && b.dense >= 0 && c.dense >= 0) {
    const auto compute = [=](std::int64_t at, std::int64_t n, Y* __restrict out) {
      const A* __restrict pa = a.data + at;
      const B* __restrict pb = b.data + at;
      const C* __restrict pc = c.data + at;
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(pa[i], pb[i], pc[i]);
    };
    parallel_for(a.dense, a.dense, kMapGrain, [=](std::int64_t first, std::int64_t last) {
      make(first, last, streams<Y>(a.dense), y, compute, a.data, b.data, c.data);
    });
    return;
  }
  for_each_map_row<3>(
      shape, {a.strides, b.strides, c.strides},
      [=](const Offsets<3>& at, std::int64_t n, const Offsets<3>& step, std::int64_t done) {
        Y* py = y + done;
        const A* pa = a.data + at[0];
        const B* pb = b.data + at[1];
        const C* pc = c.data + at[2];
        if (step[0] == 1 && step[1] == 1 && step[2] == 1) {
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(pa[i], pb[i], pc[i]);
        } else if (step[0] == 1 && step[1] == 0 && step[2] == 1) {
          const B value = *pb;
          for (std::int64_t i = 0; i < n; ++i) py[i] = f(pa[i], value, pc[i]);
        } else {
          for (std::int64_t i = 0; i < n; ++i)
            py[i] = f(pa[i * step[0]], pb[i * step[1]], pc[i * step[2]]);
        }
      });
}

}  // namespace gradwalk::kernels
