#include <fmt/format.h>

#include "nn/checkpoint/readers.h"
#include "nn/checkpoint/weights.h"

namespace gradwalk::nn {

StateDict bert_state(const Safetensors& file, const EncoderOptions& options) {
  Weights weights(file, "bert.");
  const std::int64_t d_model = options.d_model;
  const std::int64_t d_hidden = options.block.d_hidden;

  StateDict state;
  const auto take = [&](const std::string& ours, const std::string& theirs, const Shape& shape) {
    state.emplace_back(ours, weights.take(weights.body(theirs), shape));
  };
  const auto norm = [&](const std::string& ours, const std::string& theirs) {
    // Files from TensorFlow have its names for the two.
    const bool new_names = weights.has(weights.body(theirs + ".weight"));
    take(ours + ".weight", theirs + (new_names ? ".weight" : ".gamma"), {d_model});
    take(ours + ".bias", theirs + (new_names ? ".bias" : ".beta"), {d_model});
  };
  const auto linear = [&](const std::string& ours, const std::string& theirs, std::int64_t out,
                          std::int64_t in) {
    take(ours + ".weight", theirs + ".weight", {out, in});
    take(ours + ".bias", theirs + ".bias", {out});
  };

  const std::string embeddings = "embeddings.";
  take("embed_tokens.weight", embeddings + "word_embeddings.weight", {options.vocab_size, d_model});
  take("embed_positions.weight", embeddings + "position_embeddings.weight",
       {options.max_positions, d_model});
  take("embed_types.weight", embeddings + "token_type_embeddings.weight",
       {options.num_types, d_model});
  norm("embed_norm", embeddings + "LayerNorm");
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string ours = fmt::format("layers.{}.", i);
    const std::string theirs = fmt::format("encoder.layer.{}.", i);
    linear(ours + "self_attn.q_proj", theirs + "attention.self.query", d_model, d_model);
    linear(ours + "self_attn.k_proj", theirs + "attention.self.key", d_model, d_model);
    linear(ours + "self_attn.v_proj", theirs + "attention.self.value", d_model, d_model);
    linear(ours + "self_attn.o_proj", theirs + "attention.output.dense", d_model, d_model);
    norm(ours + "input_layernorm", theirs + "attention.output.LayerNorm");
    linear(ours + "mlp.up_proj", theirs + "intermediate.dense", d_hidden, d_model);
    linear(ours + "mlp.down_proj", theirs + "output.dense", d_model, d_hidden);
    norm(ours + "post_attention_layernorm", theirs + "output.LayerNorm");
  }
  constexpr const char* kIgnored[] = {"embeddings.position_ids", "pooler.", "cls."};
  weights.expect_all_taken(kIgnored);
  return state;
}

}  // namespace gradwalk::nn
