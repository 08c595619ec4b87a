#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace gradwalk {

/// Which keys a query sees and how its scores are scaled. A key must pass all masks.
struct AttentionOptions {
  /// Of the scores; 1 / sqrt(Dh) if left open.
  std::optional<double> scale = std::nullopt;
  /// Query i sees the keys j <= i + S - T: the last query sees all keys, as when the first S - T of
  /// them come from a cache. With T > S the first T - S queries see none.
  bool causal = false;
  /// bool [B, S] ([S] beside 3-d inputs), true: the key may be seen. Undefined: all may.
  Tensor key_padding_mask = {};
  /// Added to the scaled scores, in nats; of their dtype, broadcasts to [B, H, T, S] ([H, T, S]
  /// beside 3-d inputs). -inf hides a key. A constant: no gradient flows into it.
  Tensor additive_mask = {};
};

/// Scaled dot-product attention, fused: the scores are never stored, memory is linear in T and S.
/// Plain causal attention makes no mask either, and does no work for the half that it hides.
///
///   scores_ij = scale sum_c query_ic key_jc + additive_mask_ij,   -inf for a key that is hidden
///   y_ic      = sum_j softmax_j(scores_i)_j value_jc
///
/// Grouped queries: H is a multiple of G, and query head h uses key/value head h / (H / G), rounded
/// down: neighbours share. G = H is multi-head, G = 1 multi-query attention.
///
/// @param query  [B, H, T, Dh], float, Dh >= 1; all three also without B, at any strides
/// @param key    [B, G, S, Dh]
/// @param value  [B, G, S, Dv]
/// @return       [B, H, T, Dv]; where the heads of a query stand beside each other ([B, T, H, Dh]
///               seen as [B, H, T, Dh]) they do so in the result, so that merging the heads is a
///               view; else contiguous
/// @throws ShapeError if shapes or masks do not fit or H is no multiple of G; std::invalid_argument
///         for dtypes and a scale that is not finite
/// @note   A key with the score -inf has weight 0 and takes no part at all: not even a NaN in it or
///         in its value is seen. A query that sees no key (S = 0 too) gets zeros, and no gradient
///         flows through it. A NaN or +inf among the other scores makes the whole row NaN.
///         All is computed in the dtype: about 1e-6 from the exact result for float32 at T = 2048.
/// Source  Vaswani et al. 2017, equation 1; Ainslie et al. 2023, section 2.2 (groups); Milakov and
///         Gimelshein 2018, algorithm 3 (running maximum and sum)
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                 const AttentionOptions& options = {});

/// What attention_backward needs of the way forward.
struct AttentionResult {
  Tensor y;        ///< [B, H, T, Dv]
  Tensor log_sum;  ///< [B, H, T], float64: log sum_j exp(scores_ij) in nats, -inf if none is seen
};
AttentionResult attention_with_log_sum(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const AttentionOptions& options = {});

struct AttentionGrads {
  Tensor dquery, dkey, dvalue;
};

/// The gradient of attention. The weights are computed anew, a tile of keys at a time, from the
/// saved logarithm of each row's sum:
///
///   w_ij = exp(scores_ij - log_sum_i)              dvalue_j = sum_i w_ij dy_i
///   ds_ij = w_ij (dy_i . value_j - dy_i . y_i)     dquery_i = scale sum_j ds_ij key_j
///                                                  dkey_j   = scale sum_i ds_ij query_i
///
/// with the sums over i also over the query heads that share the key/value head.
///
/// @param options  those of the way forward
/// @param forward  what it returned
/// @param dy       gradient of the loss with respect to y, of y's shape and dtype
/// @return         gradients in the layout of their inputs, as y is in that of query
/// Source  Dao et al. 2022 (FlashAttention), appendix B.2 and algorithm 4
AttentionGrads attention_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const AttentionOptions& options, const AttentionResult& forward,
                                  const Tensor& dy);

}  // namespace gradwalk
