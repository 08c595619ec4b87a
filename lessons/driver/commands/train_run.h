#pragma once

#include <filesystem>
#include <memory>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/text/console.h"
#include "lessons/driver/commands/train_record.h"
#include "lessons/driver/commands/train_text.h"

namespace gradwalk::commands {

/// A training run in a folder of its own:
///
///   training.safetensors   all that the run needs to go on (train_record.h); written first, and
///   what
///                          the others are made of, so that they may be a checkpoint behind
///   model.safetensors, config.json, tokenizer.json   the newest model, as `generate` reads it
///   best/                  the same for the model with the lowest validation loss so far
///   losses.csv             the curve
///
/// Each file is whole at any moment. The same settings and text give the same bytes in all of them,
/// however often the run was stopped and resumed, and for any number of threads.
class TrainRun {
 public:
  /// Ready to begin. Nothing is written yet.
  TrainRun(const course::Console& console, TrainText text, const TrainSettings& settings,
           std::filesystem::path folder);
  /// Goes on where the record stands. @throws InputError if it does not fit
  void restore(const TrainRecord& record);

  /// Trains to the last step, or until the console is interrupted.
  /// @throws InputError if a file cannot be written
  course::Exit go();
  std::int64_t step() const { return trainer_.step(); }

 private:
  bool finished() const { return step() >= settings_.steps; }
  void evaluate();
  void save();
  void save_model_to(const std::filesystem::path& folder) const;

  const course::Console& console_;
  TrainText text_;
  TrainSettings settings_;
  std::filesystem::path folder_;
  std::unique_ptr<nn::CausalLm> model_;
  nn::LanguageModelTrainer trainer_;
  std::vector<CurvePoint> curve_;
  std::int64_t saved_ = -1;  // the step that is on the disk
};

/// The file in a run's folder that makes it one.
std::filesystem::path train_record_path(const std::filesystem::path& folder);

}  // namespace gradwalk::commands
