#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Matrix product over the last two axes; the axes before them are batches, which broadcast.
///
///   y[..., i, j] = sum_k a[..., i, k] b[..., k, j]
///
/// @param a  [..., M, K], or a vector [K] that stands for one row
/// @param b  [..., K, N], or a vector [K] that stands for one column
/// @return   [..., M, N]; the axis that a vector stands for is dropped:
///           [M, K] [K] -> [M], [K] [K] -> []
/// @throws   ShapeError if a or b is a scalar, the inner sizes differ or the batches do not
///           broadcast; std::invalid_argument for dtypes that differ or are no floats
/// @note     K = 0 gives zeros. Any strides; a batch that shares one b is one product.
/// @note     Summed in the operands' dtype, in one order for any number of threads: an element is
///           off by at most (K + K / 512) u sum_k |a| |b|, u = half an epsilon (Higham 2002,
///           section 3.1).
Tensor matmul(const Tensor& a, const Tensor& b);

/// Outer product of two vectors: y[i, j] = a[i] b[j].
///
/// @param a  [M], float or int64
/// @param b  [N], of a's dtype
/// @return   [M, N]
/// @throws   ShapeError if a or b is not a vector; std::invalid_argument for dtypes that differ,
///           and for bool
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace gradwalk
