#include "tensor/reference/embedding.h"

#include "tensor/reference/values.h"

namespace gradwalk::reference {

Tensor embedding(const Tensor& ids, const Tensor& weight) {
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

Tensor embedding_backward(const Tensor& ids, std::int64_t rows, const Tensor& dy) {
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
