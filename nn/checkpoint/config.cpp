#include "nn/checkpoint/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "nn/checkpoint/config_words.h"
#include "nn/files/json.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;

// The members of a config.json, each checked as it is read.
class Config {
 public:
  Config(json members, Where where) : members_(std::move(members)), where_(std::move(where)) {}

  [[noreturn]] void refuse(const std::string& expected, const std::string& got) const {
    throw_read_error(where_, expected, got);
  }

  // An object of this one.
  Config within(json members) const { return {std::move(members), where_}; }

  // nullptr where it is absent or null.
  const json* find(const char* key) const {
    const auto found = members_.find(key);
    return found == members_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string shown(const char* key) const {
    const json* value = find(key);
    if (!value) return "none";
    return value->is_structured() ? value->type_name() : json_text(*value);
  }

  // Sizes stay so small that a product of two fits.
  std::int64_t size(const char* key) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    const json* value = find(key);
    if (!value || !value->is_number_unsigned() || value->get<std::uint64_t>() < 1 ||
        value->get<std::uint64_t>() > std::uint64_t{kMost}) {
      refuse(fmt::format("{} in [1, 2^30]", key), shown(key));
    }
    return value->get<std::int64_t>();
  }
  std::int64_t size(const char* key, std::int64_t absent) const {
    return find(key) ? size(key) : absent;
  }
  double positive(const char* key, double absent) const {
    const json* value = find(key);
    if (!value) return absent;
    if (!value->is_number() || !(value->get<double>() > 0) ||
        !std::isfinite(value->get<double>())) {
      refuse(fmt::format("{} > 0", key), shown(key));
    }
    return value->get<double>();
  }
  bool flag(const char* key, bool absent) const {
    const json* value = find(key);
    if (!value) return absent;
    if (!value->is_boolean()) refuse(fmt::format("{} true or false", key), shown(key));
    return value->get<bool>();
  }
  std::string text(const char* key, const char* absent) const {
    const json* value = find(key);
    if (!value) return absent;
    if (!value->is_string()) refuse(fmt::format("{} that is a string", key), shown(key));
    return value->get<std::string>();
  }
  // The place of a word among those that the key may have.
  std::size_t choice(const char* key, std::span<const std::string_view> words) const {
    const json* value = find(key);
    if (value && value->is_string()) {
      const auto found = std::find(words.begin(), words.end(), value->get<std::string>());
      if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    }
    refuse(fmt::format("{} among {}", key, fmt::join(words, ", ")), shown(key));
  }
  // Settings whose meaning is not known here would make another model.
  void no_others_than(std::span<const std::string_view> keys) const {
    for (const auto& [key, value] : members_.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        refuse(fmt::format("keys among {}", fmt::join(keys, ", ")), shown_json(key));
      }
    }
  }
  // A setting that we do not have.
  void none(const char* key) const {
    if (find(key)) refuse(fmt::format("no {}, which is not supported", key), shown(key));
  }
  // A setting that we have one form of.
  void only(const char* key, const json& supported) const {
    const json* value = find(key);
    if (value && *value != supported) {
      refuse(fmt::format("{} {}, the form that is supported", key, json_text(supported)),
             shown(key));
    }
  }

 private:
  json members_;
  Where where_;
};

LinearOptions linear(bool bias, DType dtype) {
  return {.bias = bias, .init = {InitScheme::kZeros, 1}, .dtype = dtype};
}

GeluForm gelu_form(const Config& config, const char* key, const char* absent) {
  const std::string form = config.text(key, absent);
  if (form == "gelu") return GeluForm::kErf;
  if (form != "gelu_new" && form != "gelu_pytorch_tanh") {
    config.refuse(fmt::format("{} among gelu, gelu_new and gelu_pytorch_tanh", key),
                  config.shown(key));
  }
  return GeluForm::kTanh;
}

TransformerBlockOptions gelu_block(std::int64_t num_heads, std::int64_t d_hidden, GeluForm form,
                                   double eps, DType dtype) {
  TransformerBlockOptions block;
  block.attention.num_heads = num_heads;
  block.attention.linear = linear(/*bias=*/true, dtype);
  block.d_hidden = d_hidden;
  block.feed_forward = {
      .kind = FeedForwardKind::kGelu, .gelu = form, .linear = linear(/*bias=*/true, dtype)};
  block.norm_options = {.eps = eps, .dtype = dtype};
  return block;
}

// Later files keep the base in an object, beside the kind of scaling.
double rope_base(const Config& config) {
  if (config.find("rope_scaling")) config.refuse("rope without rope_scaling", "one");
  const json* parameters = config.find("rope_parameters");
  if (!parameters) return config.positive("rope_theta", 10000);
  if (!parameters->is_object()) config.refuse("rope_parameters that are an object", "another");
  const Config inner = config.within(*parameters);
  inner.only("rope_type", "default");
  return inner.positive("rope_theta", 10000);
}

CausalLmOptions llama(const Config& config, DType dtype) {
  config.only("hidden_act", "silu");
  for (const char* key : {"sliding_window", "attn_logit_softcapping", "partial_rotary_factor"}) {
    config.none(key);
  }
  CausalLmOptions o;
  o.vocab_size = config.size("vocab_size");
  o.d_model = config.size("hidden_size");
  o.num_layers = config.size("num_hidden_layers");
  o.max_positions = config.size("max_position_embeddings", 2048);
  o.tie_embeddings = config.flag("tie_word_embeddings", false);
  o.embedding = {.init = {InitScheme::kZeros, 1}, .dtype = dtype};
  MultiHeadAttentionOptions& attention = o.block.attention;
  attention.num_heads = config.size("num_attention_heads");
  attention.num_kv_heads = config.size("num_key_value_heads", attention.num_heads);
  attention.head_dim = config.size("head_dim", 0);
  attention.rope = RopeOptions{.base = rope_base(config), .layout = RopeLayout::kHalves};
  attention.linear = linear(config.flag("attention_bias", false), dtype);
  o.block.d_hidden = config.size("intermediate_size");
  o.block.feed_forward = {.kind = FeedForwardKind::kSwiGlu,
                          .linear = linear(config.flag("mlp_bias", false), dtype)};
  o.block.norm = NormKind::kRmsNorm;
  o.block.norm_options = {.eps = config.positive("rms_norm_eps", 1e-6), .dtype = dtype};
  return o;
}

CausalLmOptions gpt2(const Config& config, DType dtype) {
  config.only("scale_attn_weights", true);
  config.only("scale_attn_by_inverse_layer_idx", false);
  config.only("add_cross_attention", false);
  CausalLmOptions o;
  o.vocab_size = config.size("vocab_size");
  o.d_model = config.size("n_embd");
  o.num_layers = config.size("n_layer");
  o.max_positions = config.size("n_positions", 1024);
  o.tie_embeddings = config.flag("tie_word_embeddings", true);
  o.embedding = {.init = {InitScheme::kZeros, 1}, .dtype = dtype};
  o.block = gelu_block(config.size("n_head"), config.size("n_inner", 4 * o.d_model),
                       gelu_form(config, "activation_function", "gelu_new"),
                       config.positive("layer_norm_epsilon", 1e-5), dtype);
  return o;
}

EncoderOptions bert(const Config& config, DType dtype) {
  config.only("position_embedding_type", "absolute");
  config.only("is_decoder", false);
  config.only("add_cross_attention", false);
  EncoderOptions o;
  o.vocab_size = config.size("vocab_size");
  o.d_model = config.size("hidden_size");
  o.num_layers = config.size("num_hidden_layers");
  o.max_positions = config.size("max_position_embeddings", 512);
  o.num_types = config.size("type_vocab_size", 2);
  o.embedding = {.init = {InitScheme::kZeros, 1}, .dtype = dtype};
  o.block = gelu_block(config.size("num_attention_heads"), config.size("intermediate_size"),
                       gelu_form(config, "hidden_act", "gelu"),
                       config.positive("layer_norm_eps", 1e-12), dtype);
  o.block.norm_place = NormPlace::kPost;
  return o;
}

EncoderOptions encoder(const Config& config, DType dtype) {
  config.no_others_than(kEncoderKeys);
  EncoderOptions o;
  o.vocab_size = config.size("vocab_size");
  o.d_model = config.size("hidden_size");
  o.num_layers = config.size("num_hidden_layers");
  o.max_positions = config.size("max_position_embeddings", 0);
  o.num_types = config.size("type_vocab_size", 0);
  o.embedding_norm = config.flag("embedding_norm", true);
  o.embedding = {.init = {InitScheme::kZeros, 1}, .dtype = dtype};

  TransformerBlockOptions& block = o.block;
  block.attention.num_heads = config.size("num_attention_heads");
  block.attention.num_kv_heads = config.size("num_key_value_heads", block.attention.num_heads);
  block.attention.head_dim = config.size("head_dim", 0);
  block.attention.linear = linear(config.flag("attention_bias", false), dtype);
  block.norm = static_cast<NormKind>(config.choice("norm", kNormWords));
  block.norm_place = static_cast<NormPlace>(config.choice("norm_place", kNormPlaceWords));
  block.norm_options = {.eps = config.positive("norm_eps", 1e-5),
                        .learned = config.flag("norm_weights", true),
                        .dtype = dtype};
  block.has_feed_forward = config.find("intermediate_size") != nullptr;
  if (!block.has_feed_forward) return o;
  block.d_hidden = config.size("intermediate_size");
  block.feed_forward.linear = linear(config.flag("mlp_bias", true), dtype);
  if (config.text("hidden_act", "gelu") == "silu") {
    block.feed_forward.kind = FeedForwardKind::kSwiGlu;
  } else {
    block.feed_forward.gelu = gelu_form(config, "hidden_act", "gelu");
  }
  return o;
}

}  // namespace

const char* name(Architecture architecture) {
  switch (architecture) {
    case Architecture::kLlama:
      return "llama";
    case Architecture::kGpt2:
      return "gpt2";
    case Architecture::kEncoder:
      return "gradwalk_encoder";
    case Architecture::kBert:
      break;
  }
  return "bert";
}

ModelConfig read_config(const std::filesystem::path& path, DType dtype, const char* op) {
  const Config config(read_json_object(op, path), {op, path.string()});
  ModelConfig model;
  const std::string type = config.text("model_type", "");
  if (type == "llama") {
    model.architecture = Architecture::kLlama;
    model.causal_lm = llama(config, dtype);
  } else if (type == "gpt2") {
    model.architecture = Architecture::kGpt2;
    model.causal_lm = gpt2(config, dtype);
  } else if (type == "bert") {
    model.architecture = Architecture::kBert;
    model.encoder = bert(config, dtype);
  } else if (type == "gradwalk_encoder") {
    model.architecture = Architecture::kEncoder;
    model.encoder = encoder(config, dtype);
  } else {
    config.refuse("model_type llama, gpt2, bert or gradwalk_encoder", config.shown("model_type"));
  }
  return model;
}

}  // namespace gradwalk::nn
