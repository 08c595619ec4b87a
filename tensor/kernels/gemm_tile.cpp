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

// Size of the parts when [0, count) is cut as evenly as can be into parts of at most `most`: 9 rows
// are 5 and 4, not 8 and a slow 1; 64 columns are 32 and 32.
std::int64_t even_part(std::int64_t count, std::int64_t most) {
  if (count <= most) return count;
  const std::int64_t parts = (count + most - 1) / most;
  return (count + parts - 1) / parts;
}

template <class T>
struct Ahead {
  const T* at;
  std::int64_t step;
};

// Where the next strip's part of A is on one line of memory, or in the columns beside this one's, a
// fetch for each k covers it. Elsewhere the rows are long and the hardware sees them coming.
template <class T>
Ahead<T> next_of(const TileProduct<T>& product, const T* a, const T* next) {
  if (product.a_step == 1 && product.a_row == product.depth) return {next, kTileRows};
  if (product.a_row == 1) return {a + 2 * kTileRows, product.a_step};
  return {a, 0};
}

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
  if (rows <= kTileRows && columns <= panel) {
    return compute_tile(product, static_cast<int>(rows), static_cast<int>(columns));
  }
  const std::int64_t height = even_part(rows, kTileRows);
  const std::int64_t vectors = even_part((columns + kLanes<T> - 1) / kLanes<T>, panel / kLanes<T>);
  const std::int64_t width = vectors * kLanes<T>;
  for (std::int64_t j = 0; j < columns; j += width) {
    for (std::int64_t i = 0; i < rows; i += height) {
      const T* a = product.a + i * product.a_row;
      const Ahead<T> ahead =
          next_of(product, a, i + height < rows ? a + height * product.a_row : product.a);
      const T* addend = product.addend ? product.addend + i * product.addend_row + j : nullptr;
      compute_tile<T>({a, product.a_row, product.a_step, product.b + j, product.b_row,
                       product.depth, addend, product.addend_row, product.c + i * product.c_row + j,
                       product.c_row, ahead.at, ahead.step},
                      static_cast<int>(std::min(height, rows - i)),
                      static_cast<int>(std::min(width, columns - j)));
    }
  }
}

template void compute_tile(const TileProduct<float>&, int, int);
template void compute_tile(const TileProduct<double>&, int, int);
template void compute_tiles(const TileProduct<float>&, std::int64_t, std::int64_t, int);
template void compute_tiles(const TileProduct<double>&, std::int64_t, std::int64_t, int);

}  // namespace gradwalk::kernels
