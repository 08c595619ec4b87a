#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Rows of a table: y[..., :] = weight[ids[...], :]; values and errors as in tensor/embedding.h.
///
/// @param ids     int64 row numbers in [0, N), any shape
/// @param weight  [N, D]
/// @return        [..., D]
///
/// Gradient   dweight[n, :] = sum of dy[..., :] over all places where ids is n; dense, [N, D]
/// Source     Bengio, Ducharme, Vincent, Jauvin 2003, section 2 (the matrix C)
Variable embedding(const Tensor& ids, const Variable& weight);

}  // namespace gradwalk
