#pragma once

#include <filesystem>

#include "nn/causal_lm.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// Whose layout and names a checkpoint has.
enum class Architecture {
  kLlama,  ///< model_type llama
  kGpt2,   ///< model_type gpt2
  kBert,   ///< model_type bert
};
const char* name(Architecture architecture);

/// What a config.json asks for, in our options. Weights begin at 0: a file is about to fill them.
struct ModelConfig {
  Architecture architecture = Architecture::kLlama;
  CausalLmOptions causal_lm = {};  ///< for kLlama and kGpt2
  EncoderOptions encoder = {};     ///< for kBert
};

/// Reads the config.json of a model in Hugging Face's layout. Where a key is absent its default
/// there holds.
/// @param dtype  of all parameters
/// @throws std::runtime_error that names the file, the key and what of it is not supported
ModelConfig read_config(const std::filesystem::path& path, DType dtype = DType::kFloat32);

}  // namespace gradwalk::nn
