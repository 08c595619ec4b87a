#pragma once

#include "tensor/attention.h"

namespace gradwalk {

/// The sizes of an attention, from the shapes of its operands; 3-d operands have batch 1.
struct AttentionSizes {
  std::int64_t batch, num_heads, num_kv_heads, queries, keys, head_dim;
  bool batched;  ///< 4-d operands

  /// [B, H, T, S], or [H, T, S] beside 3-d operands.
  Shape scores() const;
  std::int64_t heads_per_group() const { return num_kv_heads > 0 ? num_heads / num_kv_heads : 0; }
};

/// Checks query, key and masks for `op` and reads off the sizes.
/// @throws ShapeError, std::invalid_argument that name `op`
AttentionSizes attention_sizes(const char* op, const Tensor& query, const Tensor& key,
                               const AttentionOptions& options);

/// 1 / sqrt(head_dim) unless the options say otherwise.
double attention_scale(const AttentionSizes& sizes, const AttentionOptions& options);

/// All masks of the options as one: what is added to the scaled scores, -inf where a key is hidden.
/// For the readable path and for looking at; the fused one never makes it.
///
/// @param dtype  float32 or float64
/// @return       the shape sizes.scores(); undefined if the options mask nothing
Tensor attention_mask(const AttentionSizes& sizes, const AttentionOptions& options, DType dtype);

}  // namespace gradwalk
