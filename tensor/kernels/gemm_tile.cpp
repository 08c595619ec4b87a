#include "tensor/kernels/gemm_tile.h"

#include <algorithm>
#include <array>

namespace gradwalk::kernels {
namespace {

template <class T>
using Tile = void (*)(const TileProduct<T>&, int last);

// One compiled tile for each number of rows and vectors, at [vectors - 1][rows - 1].
template <class T, bool kWhole, int kVectors, std::size_t... kRow>
constexpr std::array<Tile<T>, kTileRows> tiles_of(std::index_sequence<kRow...>) {
  return {compute_tile<static_cast<int>(kRow) + 1, kVectors, kWhole, T>...};
}
template <class T, bool kWhole, std::size_t... kVector>
constexpr std::array<std::array<Tile<T>, kTileRows>, kTileVectors> all_tiles(
    std::index_sequence<kVector...>) {
  return {
      tiles_of<T, kWhole, static_cast<int>(kVector) + 1>(std::make_index_sequence<kTileRows>())...};
}
template <class T, bool kWhole>
constexpr auto kTiles = all_tiles<T, kWhole>(std::make_index_sequence<kTileVectors>());

}  // namespace

template <class T>
void compute_tile(const TileProduct<T>& product, int rows, int columns) {
  const int vectors = (columns + kLanes<T> - 1) / kLanes<T>;
  const int last = columns - (vectors - 1) * kLanes<T>;
  const auto& tiles = last == kLanes<T> ? kTiles<T, true> : kTiles<T, false>;
  tiles[static_cast<std::size_t>(vectors - 1)][static_cast<std::size_t>(rows - 1)](product, last);
}

template <class T>
void compute_tiles(const TileProduct<T>& product, std::int64_t rows, std::int64_t columns,
                   int panel) {
  // Strips as even as can be: 9 rows are 5 and 4, not 8 and a slow 1.
  const std::int64_t strips = (rows + kTileRows - 1) / kTileRows;
  for (std::int64_t j = 0; j < columns; j += panel) {
    const auto width = static_cast<int>(std::min<std::int64_t>(panel, columns - j));
    std::int64_t i = 0;
    for (std::int64_t left = strips; left > 0; --left) {
      const std::int64_t height = left == 1 ? rows - i : (rows - i + left - 1) / left;
      const T* addend = product.addend ? product.addend + i * product.addend_row + j : nullptr;
      compute_tile<T>({product.a + i * product.a_row, product.a_row, product.a_step, product.b + j,
                       product.b_row, product.depth, addend, product.addend_row,
                       product.c + i * product.c_row + j, product.c_row},
                      static_cast<int>(height), width);
      i += height;
    }
  }
}

template void compute_tile(const TileProduct<float>&, int, int);
template void compute_tile(const TileProduct<double>&, int, int);
template void compute_tiles(const TileProduct<float>&, std::int64_t, std::int64_t, int);
template void compute_tiles(const TileProduct<double>&, std::int64_t, std::int64_t, int);

}  // namespace gradwalk::kernels
