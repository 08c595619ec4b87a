#include "tensor/kernels/matmul.h"

#include <algorithm>

#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/gemm_tile.h"
#include "tensor/kernels/gemv.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"

// The tile (gemm_tile.h) does the arithmetic; what is left is to keep its operands near. From the
// outside in:
//
//   a block of columns of b, cut in K:  512 x 512 numbers, which stay in L2 (1 MiB of 2)
//   a group of rows of a:               48, whose part of K stays in L1 and L2
//   a panel of the block:               as many columns as a tile has
//   a strip of the group:               as many rows as a tile has
//
// b is copied, block by block, when its columns are not beside each other, when its rows lie a
// multiple of 4 KiB apart (they would fall on one set of the cache), or when it is read so often
// that it pays. a is read in place: packing it as well gained nothing.
//
// Where K is cut depends on K alone, and every element is summed in the order of k whatever tile it
// is in. So its bits do not depend on how the outputs are cut, for caches or for threads.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kBlockDepth = 512;
constexpr std::int64_t kBlockColumns = 512;
constexpr std::int64_t kGroupRows = 48;

// Up to this many multiply-adds all operands are near anyhow, and no team would be started.
// The copy of b, where it needs one, then lies on the stack.
constexpr std::int64_t kSmallWork = 64 * 64 * 64;
constexpr std::int64_t kSmallCopy = 64 * 64;

struct Range {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

// [0, count) cut into pieces of at most `most`, as even as multiples of `grain` allow: 64 columns
// are panels of 32 and 32, not 48 and a slow 16.
struct Cut {
  Cut(std::int64_t cut_count, std::int64_t most, std::int64_t cut_grain)
      : count(cut_count),
        grain(cut_grain),
        grains((count + grain - 1) / grain),
        pieces((count + most - 1) / most) {}

  Range operator[](std::int64_t i) const {
    return {grains * i / pieces * grain, std::min(count, grains * (i + 1) / pieces * grain)};
  }

  std::int64_t count, grain, grains, pieces;
};

template <class T>
std::int64_t whole_vectors(std::int64_t columns) {
  return (columns + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

// Nanoseconds, about.
std::int64_t work_of(MatmulSizes s) { return s.m * s.n * s.k / 40; }

// y = a b + bias, of which every part of y can be computed on its own.
template <class T>
struct Product {
  MatmulSizes sizes;
  MatrixView<T> a, b;
  const T* bias;
  T* y;

  bool packs() const {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    if (b.column_stride != 1) return true;
    if (sizes.m <= kTileRows) return false;
    const bool aliases = b.row_stride * kBytes % 4096 == 0;
    const bool large = sizes.k * sizes.n * kBytes > (1 << 20) && sizes.m > 256;
    return aliases || large || sizes.k > 1024;
  }

  void compute(Range rows, Range columns) const {
    const Cut depths(sizes.k, kBlockDepth, 1);
    const Cut blocks(columns.size(), kBlockColumns, kLanes<T>);
    Scratch<T> packed(packs() ? std::min(sizes.k, kBlockDepth) *
                                    whole_vectors<T>(std::min(columns.size(), kBlockColumns))
                              : 0);
    for (std::int64_t block = 0; block < blocks.pieces; ++block) {
      const Range j{columns.first + blocks[block].first, columns.first + blocks[block].last};
      // K = 0 still has to write the bias.
      for (std::int64_t step = 0; step < std::max<std::int64_t>(1, depths.pieces); ++step) {
        const Range k = depths.pieces > 0 ? depths[step] : Range{0, 0};
        compute_block(rows, j, k, packed.data());
      }
    }
  }

 private:
  void compute_block(Range rows, Range columns, Range k, T* packed) const {
    const Cut panels(columns.size(), kTileColumns<T>, kLanes<T>);
    const Cut groups(rows.size(), kGroupRows, kTileRows);
    for (std::int64_t group = 0; group < groups.pieces; ++group) {
      const Range i{rows.first + groups[group].first, rows.first + groups[group].last};
      for (std::int64_t panel = 0; panel < panels.pieces; ++panel) {
        const Range in_block = panels[panel];
        const Range j{columns.first + in_block.first, columns.first + in_block.last};
        MatrixView<T> right = b.from(k.first, j.first);
        if (packs()) {
          T* copy = packed + in_block.first * k.size();
          const std::int64_t row = whole_vectors<T>(j.size());
          if (group == 0) pack(right, k.size(), j.size(), copy, row);
          right = {copy, row, 1};
        }
        T* c = y + i.first * sizes.n + j.first;
        const T* first_addend = bias ? bias + j.first : nullptr;
        compute_tiles<T>(
            {a.at(i.first, k.first), a.row_stride, a.column_stride, right.data, right.row_stride,
             k.size(), k.first > 0 ? c : first_addend, k.first > 0 ? sizes.n : 0, c, sizes.n},
            i.size(), j.size(), kTileColumns<T>);
      }
    }
  }
};

template <class T>
void multiply_in_place(MatmulSizes s, MatrixView<T> a, MatrixView<T> b, const T* bias, T* y) {
  compute_tiles<T>(
      {a.data, a.row_stride, a.column_stride, b.data, b.row_stride, s.k, bias, 0, y, s.n}, s.m, s.n,
      kTileColumns<T>);
}

template <class T>
HWY_NOINLINE void multiply_copied(MatmulSizes s, MatrixView<T> a, MatrixView<T> b, const T* bias,
                                  T* y) {
  HWY_ALIGN T copy[kSmallCopy];
  pack(b, s.k, s.n, copy, s.n);
  multiply_in_place(s, a, {copy, s.n, 1}, bias, y);
}

}  // namespace

template <class T>
void matmul(MatmulSizes s, MatrixView<T> a, MatrixView<T> b, const T* bias, T* y) {
  if (s.m == 1 && (b.column_stride == 1 || b.row_stride == 1)) {
    return gemv(s.n, s.k, b.transposed(), a.data, a.column_stride, bias, /*bias_step=*/1, y);
  }
  if (s.n == 1 && (a.column_stride == 1 || a.row_stride == 1)) {
    return gemv(s.m, s.k, a, b.data, b.row_stride, bias, /*bias_step=*/0, y);
  }
  if (s.m * s.n * s.k <= kSmallWork && s.k <= kBlockDepth && s.k * s.n <= kSmallCopy) {
    return b.column_stride == 1 ? multiply_in_place(s, a, b, bias, y)
                                : multiply_copied(s, a, b, bias, y);
  }
  const Product<T> product{s, a, b, bias, y};
  // A copy of b is made by the thread that reads it, so columns are shared out; else rows.
  const bool by_columns = product.packs() ? s.n >= 2 * kTileColumns<T> : s.m < 2 * kTileRows;
  if (by_columns) {
    parallel_for(s.n, work_of(s), kLanes<T>, [&](std::int64_t first, std::int64_t last) {
      product.compute({0, s.m}, {first, last});
    });
  } else {
    parallel_for(s.m, work_of(s), kTileRows, [&](std::int64_t first, std::int64_t last) {
      product.compute({first, last}, {0, s.n});
    });
  }
}

template <class T>
void matmul(const StridedLoop<2>& batch, MatmulSizes s, MatrixView<T> a, MatrixView<T> b, T* y) {
  std::int64_t count = 1;
  for (int axis = 0; axis < batch.ndim; ++axis) {
    count *= batch.sizes[static_cast<std::size_t>(axis)];
  }
  const auto products = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t one = first; one < last; ++one) {
      MatrixView<T> left = a, right = b;
      std::int64_t index = one;
      for (int axis = batch.ndim - 1; axis >= 0; --axis) {
        const auto at = static_cast<std::size_t>(axis);
        left.data += index % batch.sizes[at] * batch.steps[at][0];
        right.data += index % batch.sizes[at] * batch.steps[at][1];
        index /= batch.sizes[at];
      }
      matmul<T>(s, left, right, nullptr, y + one * s.m * s.n);
    }
  };
  // A few large products keep all threads busiest when each of them is shared out.
  if (work_of(s) >= kTeamWork && count < 4 * num_threads()) return products(0, count);
  parallel_for(count, count * work_of(s), 1, products);
}

template void matmul(MatmulSizes, MatrixView<float>, MatrixView<float>, const float*, float*);
template void matmul(MatmulSizes, MatrixView<double>, MatrixView<double>, const double*, double*);
template void matmul(const StridedLoop<2>&, MatmulSizes, MatrixView<float>, MatrixView<float>,
                     float*);
template void matmul(const StridedLoop<2>&, MatmulSizes, MatrixView<double>, MatrixView<double>,
                     double*);

}  // namespace gradwalk::kernels
