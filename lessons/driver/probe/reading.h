#pragma once

#include "lessons/driver/probe/checkpoint.h"
#include "nn/checkpoint/config.h"

namespace gradwalk::probe {

/// The files of a checkpoint, with settings from elsewhere if these are given.
/// @throws std::runtime_error as nn::find_checkpoint; where the settings are missing it says whose
/// names the weights have, and which numbers of heads would fit their shapes
nn::CheckpointFiles files_of(const std::filesystem::path& path,
                             const std::filesystem::path& settings);

/// What of a file can be said before its numbers are looked at.
/// @param model  as the files' settings say it
Reading read_names(const nn::CheckpointFiles& files, const nn::ModelConfig& model);

/// The same of a file of llama2.c, which has the settings and no names.
Reading read_names(const nn::CheckpointFiles& files, const nn::CausalLmOptions& model);

}  // namespace gradwalk::probe
