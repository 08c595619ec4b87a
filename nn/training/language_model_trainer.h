#pragma once

#include "nn/causal_lm.h"
#include "nn/optim/adamw.h"
#include "nn/optim/schedule.h"
#include "nn/training/batches.h"

namespace gradwalk::nn {

struct LanguageModelTraining {
  std::int64_t batch = 12;    ///< windows an update
  std::int64_t context = 64;  ///< tokens a window
  CosineSchedule schedule = {.lr = 1e-3, .min_lr = 1e-4, .warmup = 100, .steps = 2000};
  /// lr is the schedule's; the decay is that of matrices and tables, biases and norms have none.
  AdamWOptions adamw = {.beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
  double max_grad_norm = 1;
  std::int64_t eval_batches = 20;  ///< of each part of the text
  std::uint64_t seed = 1;          ///< of the batches
};

/// Teaches a language model to say the next token of a text:
///
///   loss = mean over the windows of -log p(token | those before it in the window), nats a token
///
/// by AdamW on windows that are drawn at random, gradients clipped by their common norm. The same
/// seed, model and text give the same bits, also across state_dict and load_state_dict.
class LanguageModelTrainer {
 public:
  /// Sets the model to training; it must outlive the trainer.
  /// @throws std::invalid_argument for sizes below 1, parts of the text that are not longer than a
  /// window, and as AdamW and clip_grad_norm do
  LanguageModelTrainer(CausalLm& model, TokenSplit text, const LanguageModelTraining& options);

  struct Update {
    double loss;       ///< of the batch, before the update
    double grad_norm;  ///< before clipping
  };
  /// One update. Unless both numbers are finite, no parameter moves and the step is not counted.
  Update update();
  /// Updates that were made.
  std::int64_t step() const { return step_; }

  struct Losses {
    double train, validation;
  };
  /// Estimates of both losses, without dropout, each over `eval_batches` batches that are always
  /// the same.
  Losses evaluate();

  /// All that the next update depends on: `model.NAME` (parameters), `optimizer.NAME` (as
  /// AdamW::state_dict), `generator.batches`, `generator.model.NAME` (those of dropout), `step`.
  /// Handles, not copies: to be saved before the next update.
  StateDict state_dict() const;
  /// Continues to the same bits as the trainer which was saved, if text, options and the model's
  /// options are the same. Nothing is changed before everything fits.
  /// @throws std::invalid_argument that names what is missing, not known or does not fit
  void load_state_dict(const StateDict& state);

 private:
  double loss_over(const std::vector<std::int64_t>& ids, const char* stream);

  CausalLm& model_;
  TokenSplit text_;
  LanguageModelTraining options_;
  std::vector<NamedParameter> names_;
  std::vector<Variable> parameters_;
  AdamW optimizer_;
  Generator batches_;
  std::int64_t step_ = 0;
};

}  // namespace gradwalk::nn
