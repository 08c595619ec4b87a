#pragma once

#include <cstdint>
#include <filesystem>

#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"

/// Models of part IV as checkpoints, for `probe` and for other programs.
namespace gradwalk::tasks {

/// How many texts stand beside a checkpoint.
inline constexpr std::int64_t kCheckpointTexts = 20;

/// Writes into a folder, which is made if need be:
///
///   config.json, model.safetensors  as nn::save_encoder, without the readout
///   texts.txt                       20 texts of the task, a line of ids each
///   classes.txt                     the tokens of numbers and of nouns
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

/// texts.txt and expected.safetensors alone, and classes.txt alone.
void save_expected(const Tensor& ids, const Tensor& cls, const std::filesystem::path& folder);
void save_classes(const NumberTask& task, const std::filesystem::path& folder);

}  // namespace gradwalk::tasks
