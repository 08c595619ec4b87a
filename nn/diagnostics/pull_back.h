#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// The query as a direction of model space, where token vectors live: all that a key's input h can
/// do to its logit goes through the component of h along it.
///
///   W_K^T q,   and (W_K^T q).h = q.(W_K h)
///
/// It is exact, where the pseudo-inverse pinv(W_K) q answers another question: the shortest h whose
/// key is q.
///
/// @param query     [..., Dh], float
/// @param k_weight  [Dh, D], query's dtype: one head's rows of `k_proj.weight`, a slice along axis
///                  0 for head g: [g Dh, (g + 1) Dh)
/// @return          [..., D], summed in float64
/// @note            A key bias b adds q.b to all logits alike, and attention does not see it. With
///                  rotary positions the identity holds for keys as they are before the rotation.
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes
Tensor pull_back(const Tensor& query, const Tensor& k_weight);

}  // namespace gradwalk::nn
