#pragma once

#include <filesystem>
#include <memory>

#include "nn/causal_lm.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// The language model of a checkpoint, set to evaluation:
///
///   a folder   `config.json` (LLaMA or GPT-2) beside `model.safetensors`, or its
///              `model.safetensors.index.json` where it is in pieces
///   a `.bin`   the format of llama2.c, see readers.h; or a folder without `config.json` with one
///              such file in it, tokenizers (`tok*.bin`) aside
///
/// Memory grows with the bytes of the files, whatever sizes they claim.
///
/// @param dtype  of the parameters, float32 or float64, whatever the file has
/// @throws std::runtime_error that names the file and what is missing, does not fit or is not
/// supported
std::unique_ptr<CausalLm> load_model(const std::filesystem::path& path,
                                     DType dtype = DType::kFloat32);

/// The same for a folder with a BERT encoder.
std::unique_ptr<Encoder> load_encoder(const std::filesystem::path& path,
                                      DType dtype = DType::kFloat32);

}  // namespace gradwalk::nn
