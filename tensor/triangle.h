#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// The lower and the upper triangle of each matrix [..., M, N]; zeros elsewhere, whatever stood
/// there (also for NaN and infinities).
///
///   tril: y_ij = x_ij where j <= i + diagonal        triu: where j >= i + diagonal
///
/// A causal mask for T queries on S keys, aligned at the last of both, is
/// tril(ones({T, S}, DType::kBool), S - T).
///
/// @param x         any dtype, ndim >= 2
/// @param diagonal  0 the main one, > 0 above it, < 0 below it; any number, also past the corners
/// @return          the shape and dtype of x
/// @throws ShapeError if ndim < 2; std::invalid_argument if x is undefined
Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
Tensor triu(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace gradwalk
