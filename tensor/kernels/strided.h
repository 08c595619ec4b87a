#pragma once

// How every elementwise kernel walks over its operands: axes that lie behind each other in all
// operands are joined, the innermost one that is left is handed out as a row, and the kernel loops
// over that row itself. A contiguous operand of any shape thus becomes one long row.

#include <array>
#include <cstdint>

#include "tensor/shape.h"

namespace gradwalk::kernels {

/// One number per operand: where a row begins, or the step within it, in elements.
template <int N>
using Offsets = std::array<std::int64_t, static_cast<std::size_t>(N)>;

/// The joined axes of N operands of one shape.
template <int N>
struct StridedLoop {
  int ndim = 0;
  std::array<std::int64_t, kMaxNdim> sizes{};
  std::array<Offsets<N>, kMaxNdim> steps{};
};

/// Drops axes of size 1 and joins neighbours where stride[outer] = size[inner] * stride[inner] for
/// all operands.
template <int N>
StridedLoop<N> join_axes(const Shape& shape,
                         const std::array<const Strides*, static_cast<std::size_t>(N)>& strides) {
  StridedLoop<N> loop;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] == 1) continue;
    Offsets<N> step;
    for (std::size_t k = 0; k < step.size(); ++k)
      step[k] = (*strides[k])[static_cast<std::size_t>(axis)];
    bool joins = loop.ndim > 0;
    if (joins) {
      const Offsets<N>& outer = loop.steps[static_cast<std::size_t>(loop.ndim - 1)];
      for (std::size_t k = 0; k < step.size(); ++k)
        joins = joins && outer[k] == shape[axis] * step[k];
    }
    if (!joins) ++loop.ndim;
    const auto last = static_cast<std::size_t>(loop.ndim - 1);
    loop.sizes[last] = joins ? loop.sizes[last] * shape[axis] : shape[axis];
    loop.steps[last] = step;
  }
  return loop;
}

/// Calls f(offsets, n, steps) for each row of the loop, in row-major order, from the offsets `at`
/// on.
template <int N, class F>
void walk_rows(const StridedLoop<N>& loop, Offsets<N> at, F&& f) {
  if (loop.ndim == 0) return f(at, std::int64_t{1}, Offsets<N>{});
  const int inner = loop.ndim - 1;
  std::array<std::int64_t, kMaxNdim> index{};
  while (true) {
    f(at, loop.sizes[static_cast<std::size_t>(inner)], loop.steps[static_cast<std::size_t>(inner)]);
    int axis = inner - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += loop.steps[a][k];
      if (++index[a] < loop.sizes[a]) break;
      for (std::size_t k = 0; k < at.size(); ++k) at[k] -= loop.sizes[a] * loop.steps[a][k];
      index[a] = 0;
    }
    if (axis < 0) return;
  }
}

/// Calls f(offsets, n, steps) for each row, in row-major order. Nothing is called for an empty
/// shape.
template <int N, class F>
void for_each_row(const Shape& shape,
                  const std::array<const Strides*, static_cast<std::size_t>(N)>& strides, F&& f) {
  for (const std::int64_t size : shape) {
    if (size == 0) return;
  }
  walk_rows<N>(join_axes<N>(shape, strides), Offsets<N>{}, f);
}

}  // namespace gradwalk::kernels
