#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Length of what each key adds to each query's output: a weight says how much of a value is taken,
/// the value's length how much there is to take.
///
///   |w_ij v_j| = |w_ij| |v_j|
///
/// @param weights  [B, H, T, S], float
/// @param value    [B, G, S, E], weights' dtype, H a multiple of G: AttentionTrace::value, or what
///                 head_contributions makes of it, whose lengths no change of W_V and W_O together
///                 can turn about
/// @return         [B, H, T, S], in the value's unit. A weight of 0 gives 0, whatever stands behind
///                 it
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes
/// Source  Kobayashi et al. 2020, "Attention is not only a weight", section 2.2
Tensor weighted_value_norms(const Tensor& weights, const Tensor& value);

/// Each key's share in the lengths that make up a query's output:
///
///   use_ij = |w_ij v_j| / sum_j' |w_ij' v_j'|
///
/// @return  [B, H, T, S], rows sum to 1; all 0 where nothing is added
/// @throws as weighted_value_norms
Tensor value_use(const Tensor& weights, const Tensor& value);

}  // namespace gradwalk::nn
