#include <fmt/format.h>

#include "nn/checkpoint/readers.h"
#include "nn/checkpoint/weights.h"

namespace gradwalk::nn {

StateDict llama_state(const Safetensors& file, const CausalLmOptions& options) {
  Weights weights(file, "model.");
  const std::int64_t d_model = options.d_model;
  const std::int64_t d_hidden = options.block.d_hidden;
  const MultiHeadAttentionOptions& attention = options.block.attention;
  const std::int64_t head_dim =
      attention.head_dim > 0 ? attention.head_dim : d_model / attention.num_heads;
  const Shape table{options.vocab_size, d_model};

  StateDict state;
  const auto take = [&](const std::string& name, const Shape& shape) {
    state.emplace_back(name, weights.take(weights.body(name), shape));
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
    take(name + ".weight", {out, in});
    if (bias) take(name + ".bias", {out});
  };
  if (options.tie_embeddings) {
    state.emplace_back("embed_tokens.weight", weights.take_tied(weights.body("embed_tokens.weight"),
                                                                "lm_head.weight", table));
  } else {
    take("embed_tokens.weight", table);
    state.emplace_back("lm_head.weight", weights.take("lm_head.weight", table));
  }
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string layer = fmt::format("layers.{}.", i);
    const bool bias = attention.linear.bias;
    const std::int64_t queries = attention.num_heads * head_dim;
    const std::int64_t keys = attention.num_kv_heads * head_dim;
    take(layer + "input_layernorm.weight", {d_model});
    linear(layer + "self_attn.q_proj", queries, d_model, bias);
    linear(layer + "self_attn.k_proj", keys, d_model, bias);
    linear(layer + "self_attn.v_proj", keys, d_model, bias);
    linear(layer + "self_attn.o_proj", d_model, queries, bias);
    take(layer + "post_attention_layernorm.weight", {d_model});
    linear(layer + "mlp.gate_proj", d_hidden, d_model, options.block.feed_forward.linear.bias);
    linear(layer + "mlp.up_proj", d_hidden, d_model, options.block.feed_forward.linear.bias);
    linear(layer + "mlp.down_proj", d_model, d_hidden, options.block.feed_forward.linear.bias);
  }
  take("norm.weight", {d_model});
  constexpr const char* kIgnored[] = {".rotary_emb.inv_freq"};
  weights.expect_all_taken(kIgnored);
  return state;
}

}  // namespace gradwalk::nn
