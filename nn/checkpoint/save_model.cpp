#include "nn/checkpoint/save_model.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "nn/checkpoint/config.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/files/atomic_file.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

namespace fs = std::filesystem;

StateDict llama_names(const StateDict& state) {
  StateDict theirs;
  for (const auto& [name, tensor] : state) {
    theirs.emplace_back(name == "lm_head.weight" ? name : "model." + name, tensor);
  }
  return theirs;
}

// The way back from gpt2_state.
StateDict gpt2_names(const StateDict& state, const CausalLmOptions& options) {
  std::map<std::string, Tensor> ours(state.begin(), state.end());
  StateDict theirs;
  const auto put = [&](const std::string& name, const std::string& own) {
    theirs.emplace_back("transformer." + name, ours.at(own));
  };
  const auto both = [&](const std::string& name, const std::string& own) {
    put(name + ".weight", own + ".weight");
    put(name + ".bias", own + ".bias");
  };
  const auto linear = [&](const std::string& name, const std::string& own) {
    theirs.emplace_back("transformer." + name + ".weight", transpose(ours.at(own + ".weight")));
    put(name + ".bias", own + ".bias");
  };
  put("wte.weight", "embed_tokens.weight");
  put("wpe.weight", "embed_positions.weight");
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string name = fmt::format("h.{}.", i);
    const std::string own = fmt::format("layers.{}.", i);
    const auto joined = [&](const char* part) {
      return concat(
          {ours.at(own + "self_attn.q_proj." + part), ours.at(own + "self_attn.k_proj." + part),
           ours.at(own + "self_attn.v_proj." + part)},
          /*axis=*/0);
    };
    both(name + "ln_1", own + "input_layernorm");
    theirs.emplace_back("transformer." + name + "attn.c_attn.weight", transpose(joined("weight")));
    theirs.emplace_back("transformer." + name + "attn.c_attn.bias", joined("bias"));
    linear(name + "attn.c_proj", own + "self_attn.o_proj");
    both(name + "ln_2", own + "post_attention_layernorm");
    linear(name + "mlp.c_fc", own + "mlp.up_proj");
    linear(name + "mlp.c_proj", own + "mlp.down_proj");
  }
  both("ln_f", "norm");
  if (!options.tie_embeddings) theirs.emplace_back("lm_head.weight", ours.at("lm_head.weight"));
  return theirs;
}

void write(const char* op, const fs::path& folder, const std::string& config,
           const StateDict& tensors) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("{}: cannot make the folder {}: {}", op, folder.string(), error.message()));
  }
  keep_file(folder / "config.json", config, op);
  save_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}}, op);
}

}  // namespace

void save_model(const CausalLm& model, const fs::path& folder) {
  constexpr const char* kOp = "save_model";
  const CausalLmOptions& options = model.options();
  const StateDict state = model.state_dict();
  const std::string config = config_json(options, kOp);
  const StateDict tensors = architecture_of(options) == Architecture::kGpt2
                                ? gpt2_names(state, options)
                                : llama_names(state);
  write(kOp, folder, config, tensors);
}

void save_encoder(const EncoderOptions& options, const StateDict& state, const fs::path& folder) {
  constexpr const char* kOp = "save_encoder";
  const std::string config = encoder_config_json(options, kOp);
  Encoder(options, Seed(0)).load_state_dict(state, kOp);  // refuses what is not of these options
  write(kOp, folder, config, state);
}

}  // namespace gradwalk::nn
