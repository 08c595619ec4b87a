#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Shannon entropy of distributions along the last axis: how spread out attention weights are.
///
///   H = -sum_i p_i ln p_i,   0 ln 0 = 0
///
/// @param probs  [..., N], float, weights that sum to 1 (this is not checked); computed in float64
/// @return       the shape without the last axis, in nats: 0 for one key, ln n for n equal weights.
///               A fully masked row, all zeros, has 0. NaN for a NaN or a negative weight
/// @throws ShapeError for a scalar; std::invalid_argument for dtypes other than float
/// Source  Shannon 1948, section 6
Tensor entropy(const Tensor& probs);

/// The same as a share of the largest that a query can have, ln of the number of keys it may see:
/// entropies of rows with 2 and with 30 visible keys become comparable.
///
/// @param weights  [..., S], float, after the softmax
/// @param visible  bool, broadcasts to weights' shape (visible_keys in scores.h)
/// @return         in [0, 1], no unit: 1 for equal weights. A query that sees one key or none has
///                 no choice: 0
/// @throws as entropy; ShapeError unless visible broadcasts to weights' shape
Tensor normalized_entropy(const Tensor& weights, const Tensor& visible);

/// Mean normalized entropy of each head over all queries that have a choice, those that see at
/// least two keys: the first row of a causal map says nothing.
///
/// @param weights  [B, H, T, S], float
/// @param visible  bool, broadcasts to weights' shape
/// @return         [H], in [0, 1]; NaN for a head in which no query has a choice
/// @throws as normalized_entropy; ShapeError unless weights are [B, H, T, S]
Tensor head_entropy(const Tensor& weights, const Tensor& visible);

}  // namespace gradwalk::nn
