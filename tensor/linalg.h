#pragma once

#include <optional>

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
///
/// @throws ShapeError unless x is a matrix; std::invalid_argument for dtypes other than float, or a
///         NaN or infinity in x
/// Source  Demmel and Veselic 1992, "Jacobi's method is more accurate than QR"
Svd svd(const Tensor& x);

/// Moore and Penrose's pseudo-inverse of a matrix, from x = u diag(s) v^T. Without gradient.
///
///   x^+ = v diag(s^+) u^T,   s_i^+ = 1 / s_i where s_i > cutoff s_0, else 0
///
/// x^+ b is the shortest of the vectors y for which x y is as near to b as can be; x x^+ is the
/// projection onto what x reaches.
///
/// @param x       [M, N], float
/// @param cutoff  no unit, >= 0, below which a singular value counts as rounding of 0; open:
///                max(M, N) times the epsilon of x's dtype
/// @return        [N, M] in x's dtype, computed in float64
/// @throws as svd; std::invalid_argument for a cutoff that is negative or NaN
/// Source  Penrose 1955, "A generalized inverse for matrices"; Golub and Van Loan 2013, section
///         5.5.2
Tensor pinv(const Tensor& x, std::optional<double> cutoff = std::nullopt);

}  // namespace gradwalk
