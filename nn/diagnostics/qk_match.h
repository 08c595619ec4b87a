#pragma once

#include <optional>

#include "nn/diagnostics/group_comparison.h"
#include "tensor/tensor.h"

namespace gradwalk::nn {

/// How well a query fits the keys of a group of tokens, beside a control group.
struct QkMatch {
  Tensor cosines;              ///< [..., S], cos(q, k_i), in [-1, 1]
  Tensor logits;               ///< [..., S], q.k_i scale, in nats
  GroupComparison of_cosines;  ///< all cosines of the group against all of the control group
  GroupComparison of_logits;
};

/// Compares queries and keys where they meet, in head space:
///
///   cos(q, k_i) = q.k_i / (|q| |k_i|),   z_i = q.k_i scale
///
/// Read the two together. Attention sees the logits alone; a cosine tells directions apart from
/// lengths, but is not the model's: any invertible R makes of W_Q and W_K another pair, R W_Q and
/// R^-T W_K, with the same logits and other cosines (only their signs stay). A row of W_Q or a raw
/// embedding lives in model space and cannot be compared with a key.
///
/// @param query           [..., Dh], float: AttentionTrace::query at one position
/// @param keys            [..., S, Dh], query's dtype; the axes before S broadcast against query's
/// @param group, control  bool, broadcast to [..., S]: at least two keys each, none in both
/// @param scale           of the logits; open: 1 / sqrt(Dh)
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes, and as
/// compare_groups
QkMatch qk_match(const Tensor& query, const Tensor& keys, const Tensor& group,
                 const Tensor& control, std::optional<double> scale = std::nullopt);

}  // namespace gradwalk::nn
