#pragma once

#include "autograd/variable.h"
#include "tensor/attention.h"

namespace gradwalk {

/// Scaled dot-product attention as one op, with memory linear in T and S; values, masks, grouped
/// heads and errors as in tensor/attention.h.
///
///   y = softmax(scale query key^T + masks) value
///
/// @param query  [B, H, T, Dh]     key [B, G, S, Dh]     value [B, G, S, Dv]
/// @return       [B, H, T, Dv]
///
/// Gradient   of query, key and value, from weights that are computed anew; no gradient flows into
///            the masks, nor through a query that sees no key
/// Source     Vaswani et al. 2017, equation 1; Dao et al. 2022 (FlashAttention), algorithm 4
Variable attention(const Variable& query, const Variable& key, const Variable& value,
                   const AttentionOptions& options = {});

/// The same from its parts, for looking at: the whole map of weights is made, and each step is an
/// op of its own (matmul, mul, add, softmax).
///
///   attention(query, key, value) = weighted_values(attention_weights(query, key), value)
///
/// @return  [B, H, T, S]; each row sums to 1, or is 0 if the query sees no key
/// @note    Hidden keys have weight 0, but unlike in the fused op a NaN or infinity in them is
///          seen: 0 times it is NaN.
Variable attention_weights(const Variable& query, const Variable& key,
                           const AttentionOptions& options = {});

/// What attention_weights passes through, all [B, H, T, S].
struct AttentionMap {
  Variable products;  ///< query key^T
  Variable scores;    ///< products * scale, in nats
  Variable masked;    ///< scores, -inf where a key is hidden; the scores themselves without a mask
  Variable weights;   ///< softmax of them over the keys
};
AttentionMap attention_map(const Variable& query, const Variable& key,
                           const AttentionOptions& options = {});

/// Weights times values, each head with its group's values:
/// [B, H, T, S] and [B, G, S, Dv] -> [B, H, T, Dv].
/// @throws ShapeError if the shapes do not fit or H is no multiple of G
Variable weighted_values(const Variable& weights, const Variable& value);

}  // namespace gradwalk
