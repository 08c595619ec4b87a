#include "nn/transformer_block.h"

#include "autograd/elementwise.h"

namespace gradwalk::nn {

TransformerBlock::TransformerBlock(std::int64_t d_model, const Seed& seed,
                                   const TransformerBlockOptions& options)
    : norm_place_(options.norm_place),
      input_layernorm_(make_norm(options.norm, d_model, options.norm_options)),
      self_attn_(d_model, seed / "self_attn", options.attention),
      post_attention_layernorm_(make_norm(options.norm, d_model, options.norm_options)),
      mlp_(d_model, options.d_hidden == 0 ? 4 * d_model : options.d_hidden, seed / "mlp",
           options.feed_forward),
      attention_dropout_(options.dropout, seed / "self_attn"),
      mlp_dropout_(options.dropout, seed / "mlp") {
  add_module("input_layernorm", *input_layernorm_);
  add_module("self_attn", self_attn_);
  add_module("post_attention_layernorm", *post_attention_layernorm_);
  add_module("mlp", mlp_);
  add_module("attention_dropout", attention_dropout_);
  add_module("mlp_dropout", mlp_dropout_);
}

Variable TransformerBlock::operator()(const Variable& x, const AttentionContext& context) {
  const Norm& norm_1 = *input_layernorm_;
  const Norm& norm_2 = *post_attention_layernorm_;
  if (norm_place_ == NormPlace::kPre) {
    const Variable y = x + attention_dropout_(self_attn_(norm_1(x), context));
    return y + mlp_dropout_(mlp_(norm_2(y)));
  }
  const Variable y = norm_1(x + attention_dropout_(self_attn_(x, context)));
  return norm_2(y + mlp_dropout_(mlp_(y)));
}

}  // namespace gradwalk::nn
