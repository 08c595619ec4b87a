#include <fmt/format.h>

#include "nn/checkpoint/readers.h"
#include "nn/checkpoint/weights.h"
#include "tensor/layout.h"

namespace gradwalk::nn {

StateDict gpt2_state(const Safetensors& file, const CausalLmOptions& options) {
  Weights weights(file, "transformer.");
  const std::int64_t d_model = options.d_model;
  const Shape table{options.vocab_size, d_model};

  StateDict state;
  const auto take = [&](const std::string& ours, const std::string& theirs, const Shape& shape) {
    state.emplace_back(ours, weights.take(weights.body(theirs), shape));
  };
  const auto norm = [&](const std::string& ours, const std::string& theirs) {
    take(ours + ".weight", theirs + ".weight", {d_model});
    take(ours + ".bias", theirs + ".bias", {d_model});
  };
  const auto linear = [&](const std::string& ours, const std::string& theirs, std::int64_t in,
                          std::int64_t out) {
    state.emplace_back(ours + ".weight",
                       transpose(weights.take(weights.body(theirs + ".weight"), {in, out})));
    take(ours + ".bias", theirs + ".bias", {out});
  };

  if (options.tie_embeddings) {
    state.emplace_back("embed_tokens.weight",
                       weights.take_tied(weights.body("wte.weight"), "lm_head.weight", table));
  } else {
    take("embed_tokens.weight", "wte.weight", table);
    state.emplace_back("lm_head.weight", weights.take("lm_head.weight", table));
  }
  take("embed_positions.weight", "wpe.weight", {options.max_positions, d_model});
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string ours = fmt::format("layers.{}.", i);
    const std::string theirs = fmt::format("h.{}.", i);
    norm(ours + "input_layernorm", theirs + "ln_1");
    const std::string joined = weights.body(theirs + "attn.c_attn");
    const Tensor weight = transpose(weights.take(joined + ".weight", {d_model, 3 * d_model}));
    const Tensor bias = weights.take(joined + ".bias", {3 * d_model});
    std::int64_t begin = 0;
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
      const std::string name = ours + "self_attn." + part;
      state.emplace_back(name + ".weight", slice(weight, /*axis=*/0, begin, begin + d_model));
      state.emplace_back(name + ".bias", slice(bias, /*axis=*/0, begin, begin + d_model));
      begin += d_model;
    }
    linear(ours + "self_attn.o_proj", theirs + "attn.c_proj", d_model, d_model);
    norm(ours + "post_attention_layernorm", theirs + "ln_2");
    linear(ours + "mlp.up_proj", theirs + "mlp.c_fc", d_model, options.block.d_hidden);
    linear(ours + "mlp.down_proj", theirs + "mlp.c_proj", options.block.d_hidden, d_model);
  }
  norm("norm", "ln_f");
  // The causal mask and the value under it, which older files store.
  constexpr const char* kIgnored[] = {".attn.bias", ".attn.masked_bias"};
  weights.expect_all_taken(kIgnored);
  return state;
}

}  // namespace gradwalk::nn
