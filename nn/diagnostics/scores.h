#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Which keys each query may see, from AttentionTrace::masked_scores: true where the score is not
/// -inf. A NaN counts as seen, so that it stays visible.
/// @throws std::invalid_argument for dtypes other than float
Tensor visible_keys(const Tensor& masked_scores);

/// Variance of the scores of visible keys, all of them taken as one sample.
///
///   sum (s - mean)^2 / (N - 1) over the N elements where `visible` is true
///
/// Queries and keys with independent entries of mean 0 and variances v_q, v_k have scores q.k of
/// variance Dh v_q v_k, and scaled by 1 / sqrt(Dh) of v_q v_k.
///
/// @param scores   float, any shape: AttentionTrace::scores or scaled_scores
/// @param visible  bool, broadcasts to scores' shape
/// @return         in the square of the scores' unit; NaN for fewer than two visible scores. What
///                 stands at hidden keys is not looked at
/// @throws ShapeError unless visible broadcasts to scores' shape; std::invalid_argument for dtypes
/// Source  Vaswani et al. 2017, footnote 4
double score_variance(const Tensor& scores, const Tensor& visible);

}  // namespace gradwalk::nn
