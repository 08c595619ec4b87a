#pragma once

#include <memory>
#include <optional>

#include "nn/kv_cache.h"
#include "nn/linear.h"
#include "tensor/rope.h"

namespace gradwalk::nn {

struct MultiHeadAttentionOptions {
  std::int64_t num_heads = 1;
  /// Heads of keys and values; num_heads is multi-head attention (MHA), 1 multi-query (MQA),
  /// between is grouped-query (GQA). 0: num_heads.
  std::int64_t num_kv_heads = 0;
  std::int64_t head_dim = 0;  ///< 0: d_model / num_heads
  bool causal = false;
  std::optional<double> scale = std::nullopt;      ///< of the scores; open: 1 / sqrt(head_dim)
  std::optional<RopeOptions> rope = std::nullopt;  ///< rotates queries and keys by their positions
  /// Without a projection that side takes x itself, which must then have the heads' width.
  bool has_q_proj = true;
  bool has_k_proj = true;
  bool has_v_proj = true;
  bool has_o_proj = true;
  /// Keys are projected by q_proj, and there is no k_proj: before any mask scores are then
  /// symmetric. Source  Kitaev et al. 2020 (Reformer), section 2
  bool tie_q_k = false;
  LinearOptions linear = {.bias = false};  ///< of all four
};

/// Every value on the way, for a look inside. B batch, H heads, T queries, S keys, Dh head width.
struct AttentionTrace {
  Variable query;          ///< [B, H, T, Dh], after the rotation if there is one
  Variable key;            ///< [B, G, S, Dh], with those from the cache
  Variable value;          ///< [B, G, S, Dh]
  Variable scores;         ///< [B, H, T, S], q k^T
  Variable scaled_scores;  ///< scores * scale, in nats
  Variable masked_scores;  ///< -inf where a key is hidden
  Variable weights;        ///< [B, H, T, S], softmax over the keys
  Variable head_outputs;   ///< [B, H, T, Dh], weights v
};

/// What goes with x into a forward.
struct AttentionContext {
  Tensor key_padding_mask = {};  ///< bool [B, S], true: the key may be seen
  Tensor additive_mask = {};     ///< broadcasts to [B, H, T, S], in nats
  /// Where keys and values of earlier positions stand; those of x are put behind them.
  KvCache* cache = nullptr;
  std::int64_t layer = 0;           ///< of the cache
  AttentionTrace* trace = nullptr;  ///< filled, if given; else the fused kernel runs
};

/// Attention with several heads:
///
///   q = x W_Q^T, k = x W_K^T, v = x W_V^T, cut into heads
///   y = [softmax(q k^T scale + mask) v over all heads, side by side] W_O^T
///
/// Query head h uses the keys and values of head floor(h G / H).
/// Parameters: those of `q_proj`, `k_proj`, `v_proj`, `o_proj`.
/// Source  Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 (GQA), section 2.2
class MultiHeadAttention : public Module {
 public:
  /// @throws std::invalid_argument unless d_model and num_heads are positive, num_heads is a
  /// multiple of num_kv_heads, and the same if q and k are tied, d_model one of num_heads if
  /// head_dim is open, head_dim even with rope, and a projection is there wherever widths differ
  MultiHeadAttention(std::int64_t d_model, const Seed& seed,
                     const MultiHeadAttentionOptions& options = {});

  /// x [B, T, D] to [B, T, D]. With a cache x holds the positions that follow those in it.
  /// @throws ShapeError, std::out_of_range as the ops and the cache do; std::logic_error for a
  /// cache while gradients are recorded, which would stop at it
  Variable operator()(const Variable& x, const AttentionContext& context = {}) const;

  /// Queries, keys and values of different tokens: of another text (cross-attention), of one token
  /// alone, or of inputs that were changed for one of the three.
  ///
  ///   q = x_q W_Q^T, k = x_k W_K^T, v = x_v W_V^T
  ///
  /// @param x_q       [B, T, D]
  /// @param x_k, x_v  [B, S, D]
  /// @return          [B, T, D]
  /// @throws as above
  Variable operator()(const Variable& x_q, const Variable& x_k, const Variable& x_v,
                      const AttentionContext& context = {}) const;

  const MultiHeadAttentionOptions& options() const { return options_; }

 private:
  std::unique_ptr<Linear> projection(const char* name, bool has, std::int64_t in, std::int64_t out,
                                     const Seed& seed);
  void check_input(const char* name, const Variable& x) const;
  Variable heads(const Variable& x, const std::unique_ptr<Linear>& projection,
                 std::int64_t num_heads) const;
  Variable attend(const Variable& query, const Variable& key, const Variable& value,
                  const AttentionContext& context) const;

  std::int64_t d_model_;
  MultiHeadAttentionOptions options_;
  std::unique_ptr<Linear> q_proj_, k_proj_, v_proj_, o_proj_;
};

}  // namespace gradwalk::nn
