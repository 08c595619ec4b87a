#pragma once

#include <vector>

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// The parts behind each other along `axis` in [0, ndim).
inline Tensor concat(const std::vector<Tensor>& parts, int axis) {
  Shape shape = parts[0].shape();
  std::int64_t total = 0;
  for (const Tensor& part : parts) total += part.shape()[axis];
  shape.set(axis, total);

  // Row-major: for each outer index all of the first part's elements, then all of the second's.
  std::vector<std::vector<double>> elements;
  for (const Tensor& part : parts) elements.push_back(values(part));
  std::vector<double> y;
  for (std::size_t outer = 0; outer < split_at(shape, axis).outer; ++outer) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Split split = split_at(parts[i].shape(), axis);
      const std::size_t block = split.along * split.inner;
      for (std::size_t k = 0; k < block; ++k) y.push_back(elements[i][outer * block + k]);
    }
  }
  return from_vector(y, shape, parts[0].dtype());
}

/// The parts beside each other along a new axis in [0, ndim].
inline Tensor stack(const std::vector<Tensor>& parts, int axis) {
  Shape row;
  for (int i = 0; i <= parts[0].ndim(); ++i) {
    if (i == axis) row.push_back(1);
    if (i < parts[0].ndim()) row.push_back(parts[0].shape()[i]);
  }
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) rows.push_back(from_vector(values(part), row, part.dtype()));
  return reference::concat(rows, axis);
}

}  // namespace gradwalk::reference
