#pragma once

#include <cstdint>
#include <filesystem>

#include "lessons/course/cls_encoder.h"
#include "lessons/course/cls_model.h"

/// Models of part IV as checkpoints, for `probe` and for other programs.
namespace gradwalk::course {

/// Writes into a folder, which is made if need be:
///
///   config.json, model.safetensors  as nn::save_encoder, without the readout
///   texts.txt                       20 texts of the task, a line of ids each
///   classes.txt                     the tokens of numbers and of nouns, unless the task is digits
///   expected.safetensors            `ids` [20, 1 + T] and `cls` [20, D], what the model itself
///                                   makes of them
///
/// A ClsModel is an encoder of one layer without positions, norms and feed-forward layer.
///
/// @param seed  of the texts
/// @throws std::invalid_argument for a model with other weights than softmax, or with one key or
/// value for many tokens, which no encoder computes; std::runtime_error for files
void save_cls_model(const ClsModel& model, const NumberTask& task, std::uint64_t seed,
                    const std::filesystem::path& folder);
void save_cls_encoder(ClsEncoder& model, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace gradwalk::course
