#pragma once

#include <filesystem>
#include <memory>

#include "nn/causal_lm.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// The files that make up a model.
struct CheckpointFiles {
  std::filesystem::path config;   ///< empty for llama2.c's format, whose header has the settings
  std::filesystem::path weights;  ///< `.safetensors`, the `.json` index of several, or `.bin`
};

/// Finds them by
///
///   a folder   `config.json` beside `model.safetensors`, or its `model.safetensors.index.json`
///              where it is in pieces; or one `.bin` file, tokenizers (`tok*.bin`) aside
///   a file     `.safetensors` or the index, with `config.json` beside it; or `.bin`
///
/// @param op  the function that errors name
/// @throws std::runtime_error that names the path and what is missing or not unique
CheckpointFiles find_checkpoint(const std::filesystem::path& path,
                                const char* op = "find_checkpoint");

/// The language model of a checkpoint (LLaMA, GPT-2, or llama2.c's format, see readers.h), set to
/// evaluation. Memory grows with the bytes of the files, whatever sizes they claim.
///
/// @param dtype  of the parameters, float32 or float64, whatever the file has
/// @throws std::runtime_error that names the file and what is missing, does not fit or is not
/// supported
std::unique_ptr<CausalLm> load_model(const CheckpointFiles& files, DType dtype = DType::kFloat32);
std::unique_ptr<CausalLm> load_model(const std::filesystem::path& path,
                                     DType dtype = DType::kFloat32);

/// The same for an encoder, of BERT or as save_encoder writes it.
std::unique_ptr<Encoder> load_encoder(const CheckpointFiles& files, DType dtype = DType::kFloat32);
std::unique_ptr<Encoder> load_encoder(const std::filesystem::path& path,
                                      DType dtype = DType::kFloat32);

}  // namespace gradwalk::nn
