#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y[i, j] = weight[ids[i], j], with the axes of ids seen as one.
Tensor embedding(const Tensor& ids, const Tensor& weight);

/// dweight[ids[i], j] += dy[i, j], from zeros.
Tensor embedding_backward(const Tensor& ids, std::int64_t rows, const Tensor& dy);

}  // namespace gradwalk::reference
