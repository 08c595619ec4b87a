#include "tensor/kernels/gemm_tile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tensor/random.h"

namespace gradwalk::kernels {
namespace {

// A product of random integers, whose sums are exact in any order, in arrays whose gaps are NaN: a
// read or write of anything outside the operands shows.
template <class T>
struct Case {
  Case(Generator& generator, int m, int n, int depth, bool transposed)
      : rows(m), columns(n), product{} {
    const T gap = std::numeric_limits<T>::quiet_NaN();
    const int a_row = transposed ? 1 : depth + 3, a_step = transposed ? m + 2 : 1;
    const int b_row = n + 5, c_row = n + 4, addend_row = n + 1;
    a.assign(static_cast<std::size_t>(m * a_row + depth * a_step + 1), gap);
    b.assign(static_cast<std::size_t>(depth * b_row + 1), gap);
    c.assign(static_cast<std::size_t>(m * c_row), gap);
    addend.assign(static_cast<std::size_t>(m * addend_row), gap);
    const auto draw = [&] { return static_cast<T>(generator.below(9) - 4); };
    want.assign(c.size(), gap);
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < depth; ++k) a[index(i * a_row + k * a_step)] = draw();
    }
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < depth; ++k) b[index(k * b_row + j)] = draw();
    }
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        T& sum = want[index(i * c_row + j)] = 0;
        for (int k = 0; k < depth; ++k)
          sum += a[index(i * a_row + k * a_step)] * b[index(k * b_row + j)];
        addend[index(i * addend_row + j)] = draw();
      }
    }
    product = {a.data(), a_row,   a_step,     b.data(), b_row,
               depth,    nullptr, addend_row, c.data(), c_row};
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  void with_addend() {
    product.addend = addend.data();
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        want[index(i * (columns + 4) + j)] += addend[index(i * (columns + 1) + j)];
      }
    }
  }

  // As strings of bits: NaN in the gaps equals NaN.
  bool right() const {
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c[i] != want[i] && !(std::isnan(c[i]) && std::isnan(want[i]))) return false;
    }
    return true;
  }

  int rows, columns;
  std::vector<T> a, b, c, addend, want;
  TileProduct<T> product;
};

template <class T>
class GemmTile : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTile, Floats);

TYPED_TEST(GemmTile, EverySizeOfATileIsRightAndTouchesNothingElse) {
  Generator generator(1, "tile");
  for (int rows = 1; rows <= kTileRows; ++rows) {
    for (int columns = 1; columns <= kTileColumns<TypeParam>; ++columns) {
      for (const int depth : {0, 1, 5}) {
        Case<TypeParam> plain(generator, rows, columns, depth, depth == 5);
        compute_tile(plain.product, rows, columns);
        EXPECT_TRUE(plain.right()) << rows << " x " << columns << " x " << depth;
        Case<TypeParam> added(generator, rows, columns, depth, false);
        added.with_addend();
        compute_tile(added.product, rows, columns);
        EXPECT_TRUE(added.right()) << rows << " x " << columns << " x " << depth << " + addend";
      }
    }
  }
}

TYPED_TEST(GemmTile, TilesCoverEveryElementOnce) {
  Generator generator(2, "tiles");
  for (const int rows : {1, 7, 8, 9, 17, 31}) {
    for (const int columns : {1, 15, 16, 48, 49, 100}) {
      for (int vectors = 1; vectors <= kTileVectors; ++vectors) {
        Case<TypeParam> one(generator, rows, columns, 6, vectors == 2);
        if (vectors == 1) one.with_addend();
        compute_tiles(one.product, rows, columns, vectors * kLanes<TypeParam>);
        EXPECT_TRUE(one.right()) << rows << " x " << columns << " by " << vectors;
      }
    }
  }
}

// C += A B: the addend is C itself.
TYPED_TEST(GemmTile, AddsToC) {
  TypeParam c[] = {1, 2, 3};
  const TypeParam a[] = {2}, b[] = {10, 20, 30};
  compute_tile<TypeParam>({a, 1, 1, b, 3, 1, c, 3, c, 3}, 1, 3);
  EXPECT_EQ(c[0], 21);
  EXPECT_EQ(c[1], 42);
  EXPECT_EQ(c[2], 63);
}

}  // namespace
}  // namespace gradwalk::kernels
