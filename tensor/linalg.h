#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// x = u diag(s) vt
struct Svd {
  Tensor u;   ///< [M, K], orthonormal columns
  Tensor s;   ///< [K], singular values, largest first
  Tensor vt;  ///< [K, N], orthonormal rows
};

/// Thin singular value decomposition of a matrix [M, N], K = min(M, N). Without gradient.
///
/// One-sided Jacobi in float64: for small matrices, and accurate in the small singular values too.
/// @throws ShapeError unless x is a matrix; std::invalid_argument for dtypes other than float, or a
/// NaN or infinity in x Source  Demmel and Veselic 1992, "Jacobi's method is more accurate than QR"
Svd svd(const Tensor& x);

}  // namespace gradwalk
