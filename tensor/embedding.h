#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Rows of a table: y[..., :] = weight[ids[...], :].
///
/// @param ids     int64 row numbers in [0, N), any shape; a negative id is an error and not a count
///                from the end
/// @param weight  [N, D], float
/// @return        [..., D], the shape of ids with D behind it
/// @throws ShapeError if weight is no matrix or the result would have too many axes;
///         std::out_of_range for an id outside; std::invalid_argument for dtypes
/// Source  Bengio, Ducharme, Vincent, Jauvin 2003, section 2 (the matrix C)
Tensor embedding(const Tensor& ids, const Tensor& weight);

/// The gradient of embedding with respect to the table: dweight[n, :] is the sum of dy[..., :] over
/// all places where ids is n, in their row-major order, and zero for a row that was not looked up.
///
/// @param rows  N
/// @param dy    gradient of the loss with respect to y, [..., D]
/// @return      [N, D]; float32 is summed in float64 and rounded once
/// @throws ShapeError if dy is not [..., D]; std::out_of_range for an id outside [0, N)
Tensor embedding_backward(const Tensor& ids, std::int64_t rows, const Tensor& dy);

}  // namespace gradwalk
