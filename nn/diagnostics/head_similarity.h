#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// How differently heads look: the Jensen-Shannon divergence between the rows of their attention
/// maps, in bits, so that it lies in [0, 1], with the mean over batch and queries.
///
///   JS(p, q) = sum_j [p_j log2(p_j / m_j) + q_j log2(q_j / m_j)] / 2,   m = (p + q) / 2
///
/// @param weights  [B, H, T, S], float, rows that sum to 1; computed in float64
/// @return         [H, H], symmetric, 0 on the diagonal; 0: the same map, 1: no key in common. NaN
///                 where there are no queries, or a weight is NaN or negative
/// @throws ShapeError unless weights are [B, H, T, S]; std::invalid_argument for dtypes
/// Source  Lin 1991, "Divergence measures based on the Shannon entropy", eq. 4.1
Tensor head_divergence(const Tensor& weights);

/// How alike heads write: the cosine between what two heads add to the output at the same position,
/// with the mean over batch and positions.
///
/// @param contributions  [B, H, T, D], float, of head_contributions
/// @return               [H, H], symmetric, in [-1, 1]; on the diagonal 1, less where a head adds
///                       nothing
/// @throws ShapeError unless contributions are [B, H, T, D]; std::invalid_argument for dtypes
Tensor head_cosine(const Tensor& contributions);

/// Mean over the pairs of different heads: of a symmetric [H, H], all but the diagonal.
/// @throws ShapeError unless x is square with H >= 2; std::invalid_argument for dtypes
double mean_pairwise(const Tensor& x);

}  // namespace gradwalk::nn
