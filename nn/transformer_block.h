#pragma once

#include <memory>

#include "nn/attention.h"
#include "nn/dropout.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"

namespace gradwalk::nn {

enum class NormPlace {
  kPre,   ///< x + f(norm(x)): GPT-2, LLaMA; Xiong et al. 2020
  kPost,  ///< norm(x + f(x)): Vaswani et al. 2017, section 3.1; BERT
};

struct TransformerBlockOptions {
  bool has_attention = true;  ///< without one of the two, that branch and its norm are not there
  bool has_feed_forward = true;
  MultiHeadAttentionOptions attention = {};
  std::int64_t d_hidden = 0;  ///< of the feed-forward; 0: 4 d_model
  FeedForwardOptions feed_forward = {};
  NormPlace norm_place = NormPlace::kPre;
  NormKind norm = NormKind::kLayerNorm;
  NormOptions norm_options = {};
  double dropout = 0;  ///< of what attention and feed-forward add to x
};

/// Attention, then the feed-forward layer, each added to what came in.
///
///   pre:   x = x + attention(norm_1(x)),   x = x + feed_forward(norm_2(x))
///   post:  x = norm_1(x + attention(x)),   x = norm_2(x + feed_forward(x))
///
/// Parameters: those of `input_layernorm` (norm_1), `self_attn`, `post_attention_layernorm`
/// (norm_2) and `mlp`, the names of Hugging Face's LLaMA whatever the kind of norm.
class TransformerBlock : public Module {
 public:
  /// @throws std::invalid_argument as its parts do
  TransformerBlock(std::int64_t d_model, const Seed& seed,
                   const TransformerBlockOptions& options = {});

  /// x [B, T, D] to [B, T, D]
  /// @throws std::logic_error for a cache or a trace without attention to fill it
  Variable operator()(const Variable& x, const AttentionContext& context = {});

 private:
  Variable attend(const Variable& x, const AttentionContext& context);
  Variable feed_forward(const Variable& x);

  NormPlace norm_place_;
  std::unique_ptr<Norm> input_layernorm_;
  std::unique_ptr<MultiHeadAttention> self_attn_;
  std::unique_ptr<Norm> post_attention_layernorm_;
  std::unique_ptr<FeedForward> mlp_;
  Dropout attention_dropout_, mlp_dropout_;
};

}  // namespace gradwalk::nn
