#include "tensor/kernels/copy.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/stream.h"
#include "tensor/kernels/strided_threads.h"

// Three cases. Rows that lie in order are copied as they are. Where instead some other axis has
// stride 1, the plane of that axis and the last one is transposed in squares that fit the vector
// registers (gemm_pack.h), so that every line is read and written whole. Anything else goes element
// by element.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kBlock = 64;  // rows and columns that a transposing thread goes through

// y[i][j] = x[i + j * x_stride], rows of y at y_stride.
template <class T>
void transpose_block(std::int64_t rows, std::int64_t columns, const T* x, std::int64_t x_stride,
                     T* y, std::int64_t y_stride) {
  if constexpr (std::is_floating_point_v<T>) {
    pack(MatrixView<T>{x, 1, x_stride}, rows, columns, y, y_stride);
  } else if constexpr (sizeof(T) == sizeof(double)) {  // moved, never computed with
    transpose_block(rows, columns, reinterpret_cast<const double*>(x), x_stride,
                    reinterpret_cast<double*>(y), y_stride);
  } else {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) y[i * y_stride + j] = x[i + j * x_stride];
    }
  }
}

// Axes of x as the copy walks them, with the strides that y's row-major order gives them.
struct Walk {
  StridedLoop<1> x;
  std::array<std::int64_t, kMaxNdim> y_strides{};

  std::int64_t size(int axis) const { return x.sizes[static_cast<std::size_t>(axis)]; }
  std::int64_t x_stride(int axis) const { return x.steps[static_cast<std::size_t>(axis)][0]; }
  std::int64_t y_stride(int axis) const { return y_strides[static_cast<std::size_t>(axis)]; }
  int last() const { return x.ndim - 1; }

  // Offsets into x and y of one of the places that the axes before the last, without `but`, span.
  std::array<std::int64_t, 2> place(std::int64_t number, int but) const {
    std::array<std::int64_t, 2> at{};
    for (int axis = last() - 1; axis >= 0; --axis) {
      if (axis == but) continue;
      const std::int64_t i = number % size(axis);
      number /= size(axis);
      at[0] += i * x_stride(axis);
      at[1] += i * y_stride(axis);
    }
    return at;
  }
};

// The axis to transpose with the last one: the one along which x's neighbours lie.
int transposed_axis(const Walk& walk) {
  if (walk.x_stride(walk.last()) <= 1) return -1;
  for (int axis = walk.last() - 1; axis >= 0; --axis) {
    if (walk.x_stride(axis) == 1 && walk.size(axis) >= 4 && walk.size(walk.last()) >= 4)
      return axis;
  }
  return -1;
}

template <class T>
void copy_row(std::int64_t n, const T* x, std::int64_t step, T* y) {
  if (step == 1) {
    std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(T));
  } else if (step == 0) {
    std::fill(y, y + n, *x);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i * step];
  }
}

}  // namespace

template <class T>
void copy(const Shape& shape, const T* x, const Strides& strides, T* y) {
  std::int64_t numel = 1;
  for (const std::int64_t size : shape) numel *= size;
  if (numel == 0) return;
  Walk walk{join_axes<1>(shape, {&strides})};
  if (walk.x.ndim == 0) {
    *y = *x;
    return;
  }
  std::int64_t step = 1;
  for (int axis = walk.last(); axis >= 0; --axis) {
    walk.y_strides[static_cast<std::size_t>(axis)] = step;
    step *= walk.size(axis);
  }

  const std::int64_t width = walk.size(walk.last());
  if (walk.x.ndim == 1 && walk.x_stride(0) <= 1) {
    const std::int64_t x_step = walk.x_stride(0);
    parallel_for(width, width / 4, kBlock, [&](std::int64_t first, std::int64_t end) {
      if constexpr (sizeof(T) >= 4) {
        if (x_step == 1 && streams<T>(width)) {
          stream_copy(x + first, y + first, end - first);
          return hwy::FlushStream();
        }
      }
      copy_row(end - first, x + first * x_step, x_step, y + first);
    });
    return;
  }
  const int other = transposed_axis(walk);
  if (other < 0) {
    for_each_row_in_threads<1>(
        walk.x, numel / 4,
        [=](const Offsets<1>& at, std::int64_t n, const Offsets<1>& row_step, std::int64_t done) {
          copy_row(n, x + at[0], row_step[0], y + done);
        });
    return;
  }
  const std::int64_t rows = walk.size(other);
  const std::int64_t strips = (rows + kBlock - 1) / kBlock;
  const std::int64_t planes = numel / (rows * width);
  parallel_for(planes * strips, numel / 2, 1, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t item = first; item < end; ++item) {
      const auto at = walk.place(item / strips, other);
      const std::int64_t i = item % strips * kBlock;
      for (std::int64_t j = 0; j < width; j += kBlock) {
        transpose_block(std::min(kBlock, rows - i), std::min(kBlock, width - j),
                        x + at[0] + i + j * walk.x_stride(walk.last()), walk.x_stride(walk.last()),
                        y + at[1] + i * walk.y_stride(other) + j, walk.y_stride(other));
      }
    }
  });
}

template void copy(const Shape&, const float*, const Strides&, float*);
template void copy(const Shape&, const double*, const Strides&, double*);
template void copy(const Shape&, const std::int64_t*, const Strides&, std::int64_t*);
template void copy(const Shape&, const bool*, const Strides&, bool*);

}  // namespace gradwalk::kernels
