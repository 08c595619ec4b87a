#include "nn/transformer_block.h"

#include <stdexcept>

#include "autograd/elementwise.h"

namespace gradwalk::nn {

TransformerBlock::TransformerBlock(std::int64_t d_model, const Seed& seed,
                                   const TransformerBlockOptions& options)
    : norm_place_(options.norm_place),
      attention_dropout_(options.dropout, seed / "self_attn"),
      mlp_dropout_(options.dropout, seed / "mlp") {
  if (options.has_attention) {
    input_layernorm_ = make_norm(options.norm, d_model, options.norm_options);
    self_attn_ =
        std::make_unique<MultiHeadAttention>(d_model, seed / "self_attn", options.attention);
    add_module("input_layernorm", *input_layernorm_);
    add_module("self_attn", *self_attn_);
  }
  if (options.has_feed_forward) {
    post_attention_layernorm_ = make_norm(options.norm, d_model, options.norm_options);
    mlp_ = std::make_unique<FeedForward>(d_model,
                                         options.d_hidden == 0 ? 4 * d_model : options.d_hidden,
                                         seed / "mlp", options.feed_forward);
    add_module("post_attention_layernorm", *post_attention_layernorm_);
    add_module("mlp", *mlp_);
  }
  add_module("attention_dropout", attention_dropout_);
  add_module("mlp_dropout", mlp_dropout_);
}

Variable TransformerBlock::attend(const Variable& x, const AttentionContext& context) {
  if (!self_attn_) {
    if (context.cache || context.trace) {
      throw std::logic_error(
          "TransformerBlock: expected neither cache nor trace in a block without attention");
    }
    return x;
  }
  const Norm& norm = *input_layernorm_;
  if (norm_place_ == NormPlace::kPre) {
    return x + attention_dropout_((*self_attn_)(norm(x), context));
  }
  return norm(x + attention_dropout_((*self_attn_)(x, context)));
}

Variable TransformerBlock::feed_forward(const Variable& x) {
  if (!mlp_) return x;
  const Norm& norm = *post_attention_layernorm_;
  if (norm_place_ == NormPlace::kPre) return x + mlp_dropout_((*mlp_)(norm(x)));
  return norm(x + mlp_dropout_((*mlp_)(x)));
}

Variable TransformerBlock::operator()(const Variable& x, const AttentionContext& context) {
  return feed_forward(attend(x, context));
}

}  // namespace gradwalk::nn
