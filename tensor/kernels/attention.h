#pragma once

#include <cstdint>

#include "tensor/kernels/heads_view.h"

namespace gradwalk::kernels {

/// All heads of one attention. Query head h uses the key/value head h / (num_heads / num_kv_heads).
template <class T>
struct AttentionHeads {
  std::int64_t batch, num_heads, num_kv_heads, queries, keys, head_dim, value_dim;
  double scale;
  bool causal;  ///< query i sees j <= i + keys - queries
  HeadsView<const T> query, key, value;
  /// Whether a key may be seen, [b, j], or null.
  const bool* padding = nullptr;
  std::int64_t padding_batch = 0, padding_step = 0;
  /// What is added to the score of query i and key j, [b, h, i, j], or null data.
  HeadsView<const T> added{};

  std::int64_t heads_per_group() const { return num_kv_heads > 0 ? num_heads / num_kv_heads : 0; }
  /// Keys from here on are hidden from query i by the causal mask; 0 or below: all.
  std::int64_t hidden_from(std::int64_t i) const { return causal ? i + keys - queries + 1 : keys; }
  std::int64_t visible_end(std::int64_t i) const { return hidden_from(i) < 0 ? 0 : hidden_from(i); }
};

/// @param y        written; its columns lie beside each other
/// @param log_sum  [batch, num_heads, queries], contiguous, written
template <class T>
void attention(const AttentionHeads<T>& heads, HeadsView<T> y, double* log_sum);

/// @param y, log_sum           what `attention` wrote
/// @param dquery, dkey, dvalue written; their columns lie beside each other
template <class T>
void attention_backward(const AttentionHeads<T>& heads, HeadsView<const T> y, const double* log_sum,
                        HeadsView<const T> dy, HeadsView<T> dquery, HeadsView<T> dkey,
                        HeadsView<T> dvalue);

}  // namespace gradwalk::kernels
