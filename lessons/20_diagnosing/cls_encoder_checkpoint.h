#pragma once

#include <cstdint>
#include <filesystem>

#include "lessons/20_diagnosing/cls_encoder.h"

namespace gradwalk::lesson_20 {

/// Writes what tasks::save_cls_model writes, of an encoder; classes.txt only if the task's tokens
/// are whole numbers, not digits.
void save_cls_encoder(ClsEncoder& model, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace gradwalk::lesson_20
