#pragma once

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y[i, j] = weight[ids[i], j], with the axes of ids seen as one.
inline Tensor embedding(const Tensor& ids, const Tensor& weight) {
  const std::vector<double> table = values(weight);
  const auto width = static_cast<std::size_t>(weight.shape()[1]);
  std::vector<double> y;
  for (const double id : values(ids)) {
    for (std::size_t j = 0; j < width; ++j) {
      y.push_back(table[static_cast<std::size_t>(id) * width + j]);
    }
  }
  Shape shape = ids.shape();
  shape.push_back(weight.shape()[1]);
  return from_vector(y, shape, weight.dtype());
}

/// dweight[ids[i], j] += dy[i, j], from zeros.
inline Tensor embedding_backward(const Tensor& ids, std::int64_t rows, const Tensor& dy) {
  const std::vector<double> upstream = values(dy);
  const auto width = static_cast<std::size_t>(dy.shape()[-1]);
  std::vector<double> dweight(static_cast<std::size_t>(rows) * width);
  std::size_t next = 0;
  for (const double id : values(ids)) {
    for (std::size_t j = 0; j < width; ++j) {
      dweight[static_cast<std::size_t>(id) * width + j] += upstream[next++];
    }
  }
  return from_vector(dweight, {rows, dy.shape()[-1]}, dy.dtype());
}

}  // namespace gradwalk::reference
