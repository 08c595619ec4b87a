#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "nn/checkpoint/config.h"
#include "nn/checkpoint/config_words.h"
#include "nn/files/json.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

using Faults = std::vector<std::string>;
using nlohmann::ordered_json;

template <class Options>
std::int64_t hidden(const Options& o) {
  return o.block.d_hidden > 0 ? o.block.d_hidden : 4 * o.d_model;
}
std::int64_t kv_heads(const MultiHeadAttentionOptions& o) {
  return o.num_kv_heads > 0 ? o.num_kv_heads : o.num_heads;
}
template <class Options>
std::int64_t head_dim(const Options& o) {
  const MultiHeadAttentionOptions& attention = o.block.attention;
  return attention.head_dim > 0 ? attention.head_dim : o.d_model / attention.num_heads;
}

std::string norm_fault(NormKind kind) {
  switch (kind) {
    case NormKind::kLayerNorm:
      return "LayerNorm";
    case NormKind::kRmsNorm:
      return "RMS norm";
    case NormKind::kNone:
      break;
  }
  return "no norms";
}

// What no layout has of an attention layer.
Faults attention_faults(const MultiHeadAttentionOptions& attention) {
  Faults faults;
  if (attention.scale) faults.emplace_back("a scale of its own");
  if (!attention.has_q_proj || !attention.has_k_proj || !attention.has_v_proj ||
      !attention.has_o_proj) {
    faults.emplace_back("a missing projection");
  }
  return faults;
}

// What both layouts of language models lack.
Faults common_faults(const CausalLmOptions& o) {
  Faults faults;
  if (o.num_layers < 1) faults.emplace_back("no layers");
  if (o.block.norm_place != NormPlace::kPre) faults.emplace_back("post-norm");
  if (!o.block.norm_options.learned) faults.emplace_back("norms without parameters");
  if (!(o.block.norm_options.eps > 0)) faults.emplace_back("eps 0");
  for (std::string& fault : attention_faults(o.block.attention)) faults.push_back(std::move(fault));
  return faults;
}

Faults gpt2_faults(const CausalLmOptions& o) {
  const MultiHeadAttentionOptions& attention = o.block.attention;
  Faults faults = common_faults(o);
  if (attention.rope) faults.emplace_back("rope");
  if (!attention.rope && o.max_positions < 1) faults.emplace_back("no positions");
  if (o.block.norm != NormKind::kLayerNorm) faults.push_back(norm_fault(o.block.norm));
  if (o.block.feed_forward.kind != FeedForwardKind::kGelu) faults.emplace_back("SwiGLU");
  if (!attention.linear.bias || !o.block.feed_forward.linear.bias) {
    faults.emplace_back("linear layers without bias");
  }
  if (kv_heads(attention) != attention.num_heads) faults.emplace_back("grouped heads");
  if (head_dim(o) * attention.num_heads != o.d_model) faults.emplace_back("head_dim of its own");
  return faults;
}

Faults llama_faults(const CausalLmOptions& o) {
  const auto& rope = o.block.attention.rope;
  Faults faults = common_faults(o);
  if (!rope) faults.emplace_back("no rope");
  if (rope && rope->layout != RopeLayout::kHalves) faults.emplace_back("rope on neighbours");
  if (o.block.norm != NormKind::kRmsNorm) faults.push_back(norm_fault(o.block.norm));
  if (o.block.feed_forward.kind != FeedForwardKind::kSwiGlu) faults.emplace_back("GELU");
  return faults;
}

void say_gpt2(const CausalLmOptions& o, ordered_json& config) {
  const TransformerBlockOptions& block = o.block;
  config["architectures"] = {"GPT2LMHeadModel"};
  config["model_type"] = "gpt2";
  config["vocab_size"] = o.vocab_size;
  config["n_positions"] = o.max_positions;
  config["n_embd"] = o.d_model;
  config["n_layer"] = o.num_layers;
  config["n_head"] = block.attention.num_heads;
  config["n_inner"] = hidden(o);
  config["activation_function"] = block.feed_forward.gelu == GeluForm::kTanh ? "gelu_new" : "gelu";
  config["layer_norm_epsilon"] = block.norm_options.eps;
  config["resid_pdrop"] = block.dropout;
  config["embd_pdrop"] = 0.0;
  config["attn_pdrop"] = 0.0;
}

void say_llama(const CausalLmOptions& o, ordered_json& config) {
  const TransformerBlockOptions& block = o.block;
  config["architectures"] = {"LlamaForCausalLM"};
  config["model_type"] = "llama";
  config["vocab_size"] = o.vocab_size;
  if (o.max_positions > 0) config["max_position_embeddings"] = o.max_positions;
  config["hidden_size"] = o.d_model;
  config["intermediate_size"] = hidden(o);
  config["num_hidden_layers"] = o.num_layers;
  config["num_attention_heads"] = block.attention.num_heads;
  config["num_key_value_heads"] = kv_heads(block.attention);
  config["head_dim"] = head_dim(o);
  config["hidden_act"] = "silu";
  config["rms_norm_eps"] = block.norm_options.eps;
  config["rope_theta"] = block.attention.rope->base;
  config["attention_bias"] = block.attention.linear.bias;
  config["mlp_bias"] = block.feed_forward.linear.bias;
}

}  // namespace

Architecture architecture_of(const CausalLmOptions& options, const char* op) {
  const Faults gpt2 = gpt2_faults(options);
  if (gpt2.empty()) return Architecture::kGpt2;
  const Faults llama = llama_faults(options);
  if (llama.empty()) return Architecture::kLlama;
  throw_argument_error(
      op, "a model in the layout of GPT-2 or LLaMA",
      fmt::format("for GPT-2 {}; for LLaMA {}", fmt::join(gpt2, ", "), fmt::join(llama, ", ")));
}

std::string config_json(const CausalLmOptions& options, const char* op) {
  ordered_json config;
  if (architecture_of(options, op) == Architecture::kGpt2) {
    say_gpt2(options, config);
  } else {
    say_llama(options, config);
  }
  config["tie_word_embeddings"] = options.tie_embeddings;
  // Absent ones would stand for ids of the original vocabularies.
  config["bos_token_id"] = nullptr;
  config["eos_token_id"] = nullptr;
  config["torch_dtype"] = name(options.embedding.dtype);
  return json_text(config, /*indent=*/2) + "\n";
}

std::string encoder_config_json(const EncoderOptions& options, const char* op) {
  const TransformerBlockOptions& block = options.block;
  Faults faults = attention_faults(block.attention);
  if (options.num_layers < 1) faults.emplace_back("no layers");
  if (!block.has_attention) faults.emplace_back("no attention");
  if (block.attention.rope) faults.emplace_back("rope");
  if (block.attention.causal) faults.emplace_back("a causal mask");
  if (block.attention.tie_q_k) faults.emplace_back("tied queries and keys");
  if (!(block.norm_options.eps > 0)) faults.emplace_back("eps 0");
  if (!faults.empty()) {
    throw_argument_error(op, "an encoder that config.json can say",
                         fmt::format("{}", fmt::join(faults, ", ")));
  }
  ordered_json config;
  config["model_type"] = name(Architecture::kEncoder);
  config["vocab_size"] = options.vocab_size;
  config["hidden_size"] = options.d_model;
  config["num_hidden_layers"] = options.num_layers;
  config["num_attention_heads"] = block.attention.num_heads;
  config["num_key_value_heads"] = kv_heads(block.attention);
  config["head_dim"] = head_dim(options);
  if (options.max_positions > 0) config["max_position_embeddings"] = options.max_positions;
  if (options.num_types > 0) config["type_vocab_size"] = options.num_types;
  config["embedding_norm"] = options.embedding_norm;
  config["norm"] = kNormWords[static_cast<std::size_t>(block.norm)];
  config["norm_place"] = kNormPlaceWords[static_cast<std::size_t>(block.norm_place)];
  config["norm_eps"] = block.norm_options.eps;
  config["norm_weights"] = block.norm_options.learned;
  config["attention_bias"] = block.attention.linear.bias;
  if (block.has_feed_forward) {
    const bool swiglu = block.feed_forward.kind == FeedForwardKind::kSwiGlu;
    config["intermediate_size"] = hidden(options);
    config["hidden_act"] = swiglu                                       ? "silu"
                           : block.feed_forward.gelu == GeluForm::kTanh ? "gelu_new"
                                                                        : "gelu";
    config["mlp_bias"] = block.feed_forward.linear.bias;
  }
  config["torch_dtype"] = name(options.embedding.dtype);
  return json_text(config, /*indent=*/2) + "\n";
}

}  // namespace gradwalk::nn
