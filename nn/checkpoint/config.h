#pragma once

#include <filesystem>
#include <string>

#include "nn/causal_lm.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// Whose layout and names a checkpoint has.
enum class Architecture {
  kLlama,    ///< model_type llama
  kGpt2,     ///< model_type gpt2
  kBert,     ///< model_type bert
  kEncoder,  ///< model_type gradwalk_encoder: ours, see encoder_config_json
};
const char* name(Architecture architecture);

/// What a config.json asks for, in our options. Weights begin at 0: a file is about to fill them.
struct ModelConfig {
  Architecture architecture = Architecture::kLlama;
  CausalLmOptions causal_lm = {};  ///< for kLlama and kGpt2
  EncoderOptions encoder = {};     ///< for kBert and kEncoder
};

/// Reads the config.json of a model in Hugging Face's layout, or in ours. Where a key is absent its
/// default there holds.
/// @param dtype  of all parameters
/// @param op     the function that errors name, here and below
/// @throws std::runtime_error that names the file, the key and what of it is not supported
ModelConfig read_config(const std::filesystem::path& path, DType dtype = DType::kFloat32,
                        const char* op = "read_config");

/// The layout that can say what a language model computes:
///
///   gpt2    learned positions, LayerNorm, GELU, biases, as many heads of keys as of queries
///   llama   rope in halves, RMS norm, SwiGLU
///
/// either with norms before attention and feed-forward, and with the usual scale and projections.
/// @throws std::invalid_argument that lists for each what it lacks, if neither can
Architecture architecture_of(const CausalLmOptions& options, const char* op = "architecture_of");

/// The content of a config.json that `read_config` turns into the same model. Dropout and initial
/// values, which a trained model does not need, are not read back; GPT-2's keys say the first.
/// @throws std::invalid_argument as architecture_of
std::string config_json(const CausalLmOptions& options, const char* op = "config_json");

/// The same for an encoder, whose blocks may lack parts that BERT has: model_type
/// `gradwalk_encoder`, sizes under BERT's keys (absent: the part is not there) and
///
///   norm                      layer_norm, rms_norm or none
///   norm_place, norm_eps      pre or post; as in NormOptions
///   norm_weights              whether norms have parameters
///   embedding_norm            whether the sum of the embeddings is normalised
///   attention_bias, mlp_bias  of the linear layers
///   hidden_act                gelu, gelu_new or silu (SwiGLU)
///
/// @throws std::invalid_argument that lists what it cannot say: rope, a causal mask, a scale of its
/// own, a missing projection, tied queries and keys
std::string encoder_config_json(const EncoderOptions& options,
                                const char* op = "encoder_config_json");

}  // namespace gradwalk::nn
