#pragma once

#include <filesystem>

#include "nn/causal_lm.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// Writes a language model that load_model and Hugging Face's library read back to the same bits:
///
///   config.json         in the layout of GPT-2 or LLaMA, see architecture_of in config.h
///   model.safetensors   the parameters in their own dtype, under that layout's names: GPT-2's
///                       linear weights as [in, out] and query, key and value side by side
///
/// The folder is made if need be. Each file is written whole or not at all (AtomicFile),
/// config.json first and only where it differs: saving a model again and again leaves a folder that
/// can be read at any moment.
///
/// @throws std::invalid_argument for a model that neither layout can say, before anything is
/// written; std::runtime_error that names the file which cannot be written
void save_model(const CausalLm& model, const std::filesystem::path& folder);

/// The same for an encoder, in our own layout (encoder_config_json) and under our names, for
/// load_encoder.
/// @param state  of an Encoder of these options, or the same numbers of a model that computes what
///               it does
/// @throws std::invalid_argument as encoder_config_json, and unless the state is one of these
/// options; std::runtime_error as above
void save_encoder(const EncoderOptions& options, const StateDict& state,
                  const std::filesystem::path& folder);

}  // namespace gradwalk::nn
