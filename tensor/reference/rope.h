#pragma once

#include <cmath>

#include "tensor/reference/values.h"
#include "tensor/rope.h"

namespace gradwalk::reference {

/// Each pair times its 2 x 2 rotation matrix, in float64. x [..., T, D], positions [T].
inline Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options) {
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const auto rows = static_cast<std::size_t>(x.shape()[-2]);
  const std::vector<double> from = values(x);
  const std::vector<double> at = values(positions);
  std::vector<double> y(from.size());
  for (std::size_t feature = 0; feature < from.size(); ++feature) {
    const std::size_t column = feature % width;
    const bool interleaved = options.layout == RopeLayout::kInterleaved;
    const std::size_t pair = interleaved ? column / 2 : column % (width / 2);
    const bool is_first = interleaved ? column % 2 == 0 : column < width / 2;
    const std::size_t apart = interleaved ? 1 : width / 2;

    const double exponent = 2 * static_cast<double>(pair) / static_cast<double>(width);
    const double angle = at[feature / width % rows] * std::pow(options.base, -exponent);
    if (is_first) {
      y[feature] = std::cos(angle) * from[feature] - std::sin(angle) * from[feature + apart];
    } else {
      y[feature] = std::sin(angle) * from[feature - apart] + std::cos(angle) * from[feature];
    }
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
