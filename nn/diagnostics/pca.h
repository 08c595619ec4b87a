#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Principal components, the one of largest variance first. N points, D axes, K = min(N, D).
struct Pca {
  Tensor mean;            ///< [D]
  Tensor components;      ///< [K, D], orthonormal rows
  Tensor variances;       ///< [K], in the square of x's unit, divisor N - 1
  Tensor variance_ratio;  ///< [K], share of the total variance; all 0 where there is none
  Tensor projections;     ///< [N, K], (x - mean) components^T: where each point lies on each axis
};

/// Principal component analysis of points, by the singular value decomposition of x - mean.
///
/// An axis is given up to its sign. Here its entry of largest magnitude is positive (the first one,
/// where several are as large to one part in a million), so that neither the order of the points
/// nor rounding turns a picture about; projections follow. Axes of equal variance may still turn
/// among each other.
///
/// @param x  [N, D], float, N >= 2, D >= 1; computed in float64
/// @return   in x's dtype
/// @note     A large share of the first axis does not make it an ordered one: compare projections
///           with values (spearman in rank_correlation.h)
/// @throws ShapeError unless x is such a matrix; std::invalid_argument for dtypes, and a NaN or an
/// infinity in x
/// Source  Pearson 1901; Jolliffe 2002, "Principal component analysis", section 3.5
Pca pca(const Tensor& x);

}  // namespace gradwalk::nn
