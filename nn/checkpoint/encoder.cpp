#include <fmt/format.h>

#include "nn/checkpoint/readers.h"
#include "nn/checkpoint/weights.h"

namespace gradwalk::nn {

StateDict encoder_state(const Safetensors& file, const EncoderOptions& options) {
  Weights weights(file, "");
  const TransformerBlockOptions& block = options.block;
  const MultiHeadAttentionOptions& attention = block.attention;
  const std::int64_t d_model = options.d_model;
  const std::int64_t head_dim =
      attention.head_dim > 0 ? attention.head_dim : d_model / attention.num_heads;

  StateDict state;
  const auto take = [&](const std::string& name, const Shape& shape) {
    state.emplace_back(name, weights.take(name, shape));
  };
  const auto table = [&](const std::string& name, std::int64_t rows) {
    if (rows > 0) take(name + ".weight", {rows, d_model});
  };
  const auto norm = [&](const std::string& name) {
    if (block.norm == NormKind::kNone || !block.norm_options.learned) return;
    take(name + ".weight", {d_model});
    if (block.norm == NormKind::kLayerNorm) take(name + ".bias", {d_model});
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
    take(name + ".weight", {out, in});
    if (bias) take(name + ".bias", {out});
  };

  table("embed_tokens", options.vocab_size);
  table("embed_positions", options.max_positions);
  table("embed_types", options.num_types);
  if (options.embedding_norm) norm("embed_norm");
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string layer = fmt::format("layers.{}.", i);
    const std::int64_t queries = attention.num_heads * head_dim;
    const std::int64_t keys = attention.num_kv_heads * head_dim;
    norm(layer + "input_layernorm");
    linear(layer + "self_attn.q_proj", queries, d_model, attention.linear.bias);
    linear(layer + "self_attn.k_proj", keys, d_model, attention.linear.bias);
    linear(layer + "self_attn.v_proj", keys, d_model, attention.linear.bias);
    linear(layer + "self_attn.o_proj", d_model, queries, attention.linear.bias);
    if (!block.has_feed_forward) continue;
    const bool bias = block.feed_forward.linear.bias;
    norm(layer + "post_attention_layernorm");
    if (block.feed_forward.kind == FeedForwardKind::kSwiGlu) {
      linear(layer + "mlp.gate_proj", block.d_hidden, d_model, bias);
    }
    linear(layer + "mlp.up_proj", block.d_hidden, d_model, bias);
    linear(layer + "mlp.down_proj", d_model, block.d_hidden, bias);
  }
  if (block.norm_place == NormPlace::kPre) norm("norm");
  weights.expect_all_taken({});
  return state;
}

}  // namespace gradwalk::nn
