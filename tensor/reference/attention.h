#pragma once

#include "tensor/attention.h"

namespace gradwalk::reference {

/// Attention with the whole map of weights, in float64; operands and options as in
/// tensor/attention.h, 4-d only.

/// [B, H, T, S]: a key that is hidden, or whose score is -inf, has weight 0.
Tensor attention_weights(const Tensor& query, const Tensor& key, const AttentionOptions& options);

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                 const AttentionOptions& options);

/// With the softmax's Jacobian written out: ds_ij = sum_l dw_il w_il ((l == j) - w_ij).
AttentionGrads attention_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const AttentionOptions& options, const Tensor& dy);

}  // namespace gradwalk::reference
