#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/driver/commands/train_settings.h"

namespace gradwalk::commands {

/// Losses at one step, in nats a character.
struct CurvePoint {
  std::int64_t step;
  double train, validation;
};

/// All that a run needs to go on, in one file, so that whatever moment it is stopped at, its parts
/// belong together.
struct TrainRecord {
  TrainSettings settings;
  std::string text;               ///< which text it was, as text_identity says
  std::vector<CurvePoint> curve;  ///< so far
  nn::StateDict trainer;          ///< LanguageModelTrainer::state_dict

  /// Is `step` the last point of the curve, and its validation loss the lowest?
  bool is_best(std::int64_t step) const;
};

/// "1115394 bytes, fnv1a 0123456789abcdef"
std::string text_identity(std::string_view text);

/// As a safetensors file: the trainer's tensors beside `curve.step`, `curve.train` and
/// `curve.validation`; settings and text are its metadata.
/// @throws std::runtime_error if it cannot be written; the old file is then as it was
void write_train_record(const std::filesystem::path& path, const TrainRecord& record);
/// @throws std::runtime_error that names the file and what is wrong with it
TrainRecord read_train_record(const std::filesystem::path& path);

/// "step,train,validation", and a line for each point.
std::string curve_csv(const std::vector<CurvePoint>& curve);

}  // namespace gradwalk::commands
