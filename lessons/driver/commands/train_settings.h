#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "nn/training/gpt.h"
#include "nn/training/language_model_trainer.h"

namespace gradwalk::commands {

/// What `train` can be told of a run. The defaults are those of nanoGPT's character model for a
/// CPU, see docs/commands.md.
struct TrainSettings {
  std::int64_t steps = 2000;
  std::int64_t batch = 12;
  std::int64_t context = 64;
  std::int64_t d_model = 128;
  std::int64_t layers = 4;
  std::int64_t heads = 4;
  double lr = 1e-3;
  std::int64_t warmup = 100;
  double dropout = 0;
  double weight_decay = 0.1;
  std::int64_t seed = 1;
  std::int64_t eval_every = 250;
  std::int64_t save_every = 250;

  /// The rate falls to a tenth.
  nn::LanguageModelTraining training() const;
  nn::GptOptions gpt(std::int64_t vocab_size) const;
};

/// One of them: its name on the command line and in a checkpoint, and what it may be.
struct TrainSetting {
  const char* name;
  const char* letter;
  const char* what;
  std::variant<std::int64_t TrainSettings::*, double TrainSettings::*> member;
  double least, most;          ///< both allowed, but `most` only where whole numbers are asked for
  bool changes_result = true;  ///< else a run may be resumed with another value

  std::string text(const TrainSettings& settings) const;
  /// False, and nothing is changed, for a text that is no number in the range.
  bool set(TrainSettings& settings, const std::string& text) const;
  /// "a whole number from 1 to 1024"
  std::string expected() const;
};

const std::vector<TrainSetting>& train_setting_table();

/// All of them by name, and back.
std::map<std::string, std::string> texts_of(const TrainSettings& settings);
/// @throws std::runtime_error that names the setting which is missing or out of its range
TrainSettings settings_from(const std::map<std::string, std::string>& texts);

}  // namespace gradwalk::commands
