#include "tensor/kernels/rope.h"

#include <cmath>

namespace gradwalk::kernels {

RopeTable::RopeTable(RopeSizes table_sizes, const std::int64_t* positions,
                     std::int64_t position_step, double base, double sign)
    : sizes(table_sizes) {
  std::vector<double> speeds;  // radians a position
  for (std::int64_t pair = 0; pair < sizes.pairs; ++pair) {
    speeds.push_back(std::pow(base, -static_cast<double>(pair) / static_cast<double>(sizes.pairs)));
  }
  cosines.reserve(static_cast<std::size_t>(sizes.rows * sizes.pairs));
  sines.reserve(cosines.capacity());
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    const auto position = static_cast<double>(positions[row * position_step]);
    for (const double speed : speeds) {
      cosines.push_back(std::cos(position * speed));
      sines.push_back(sign * std::sin(position * speed));
    }
  }
}

template <class T>
void rope(const RopeTable& table, RopeLayout layout, MatrixView<T> x, T* y) {
  const std::int64_t pairs = table.sizes.pairs;
  // Where the first of pair i stands, and how far behind it the second.
  const std::int64_t step = layout == RopeLayout::kInterleaved ? 2 : 1;
  const std::int64_t apart = layout == RopeLayout::kInterleaved ? 1 : pairs;
  const double* cosine = table.cosines.data();
  const double* sine = table.sines.data();
  for (std::int64_t row = 0; row < table.sizes.rows; ++row) {
    const T* first = x.data + row * x.row_stride;
    const T* second = first + apart * x.column_stride;
    const auto turn = [&](std::int64_t i, T a, T b) {
      y[i * step] =
          static_cast<T>(static_cast<double>(a) * cosine[i] - static_cast<double>(b) * sine[i]);
      y[i * step + apart] =
          static_cast<T>(static_cast<double>(a) * sine[i] + static_cast<double>(b) * cosine[i]);
    };
    if (x.column_stride == 1 && step == 1) {
      for (std::int64_t i = 0; i < pairs; ++i) turn(i, first[i], second[i]);
    } else {
      const std::int64_t between = step * x.column_stride;
      for (std::int64_t i = 0; i < pairs; ++i) turn(i, first[i * between], second[i * between]);
    }
    y += 2 * pairs;
    cosine += pairs;
    sine += pairs;
  }
}

template void rope(const RopeTable&, RopeLayout, MatrixView<float>, float*);
template void rope(const RopeTable&, RopeLayout, MatrixView<double>, double*);

}  // namespace gradwalk::kernels
