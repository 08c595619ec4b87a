#include "lessons/driver/commands/train_run.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/text/progress.h"
#include "lessons/course/text/shell_word.h"
#include "nn/checkpoint/save_model.h"
#include "nn/files/atomic_file.h"
#include "nn/tokenizer/characters.h"

namespace gradwalk::commands {

namespace fs = std::filesystem;
using course::Exit;
using course::InputError;

fs::path train_record_path(const fs::path& folder) { return folder / "training.safetensors"; }

TrainRun::TrainRun(const course::Console& console, TrainText text, const TrainSettings& settings,
                   fs::path folder)
    : console_(console),
      text_(std::move(text)),
      settings_(settings),
      folder_(std::move(folder)),
      model_(nn::make_gpt(settings.gpt(text_.tokenizer.vocab_size()),
                          nn::Seed(static_cast<std::uint64_t>(settings.seed)) / "model")),
      trainer_(*model_, text_.tokens, settings.training()) {}

void TrainRun::restore(const TrainRecord& record) {
  try {
    trainer_.load_state_dict(record.trainer);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", train_record_path(folder_).string(), error.what()));
  }
  curve_ = record.curve;
}

Exit TrainRun::go() {
  console_.out(fmt::format(
      "text   {} characters, {} different; the last {} validate\n"
      "model  {} parameters: {} layers, {} heads, width {}, context {}\n",
      text_.tokens.train.size() + text_.tokens.validation.size(), text_.tokenizer.vocab_size(),
      text_.tokens.validation.size(), model_->num_parameters(), settings_.layers, settings_.heads,
      settings_.d_model, settings_.context));
  if (curve_.empty()) evaluate();
  save();  // of a run that is resumed: what its end may have left behind the record
  course::Progress progress(
      console_, {.name = "train",
                 .done = step(),
                 .total = settings_.steps,
                 .units_per_step = static_cast<double>(settings_.batch * settings_.context),
                 .unit = "characters"});
  while (!finished()) {
    if (const int signal = console_.interrupted()) {
      progress.clear();
      if (saved_ != step()) save();
      return signal == 15 ? Exit::kTerminated : Exit::kInterrupted;
    }
    const auto update = trainer_.update();
    if (!std::isfinite(update.loss) || !std::isfinite(update.grad_norm)) {
      progress.clear();
      console_.err(fmt::format(
          "step {}: loss {}, norm of the gradient {}: stopped; the checkpoint of step {} "
          "stays. Try a lower --lr\n",
          step() + 1, update.loss, update.grad_norm, saved_));
      return Exit::kNonfinite;
    }
    progress.show(step(), fmt::format("loss {:.3f}", update.loss));
    const bool evaluated = step() % settings_.eval_every == 0 || finished();
    if (evaluated) {
      progress.clear();
      evaluate();
    }
    if (evaluated || step() % settings_.save_every == 0) save();
  }
  progress.clear();
  console_.out(fmt::format(
      "try    {} {} {} --temperature=0.8 --slide\n", course::launcher_command("generate"),
      course::shell_word(folder_.string()), course::shell_word("--prompt=" + text_.first_word)));
  return Exit::kOk;
}

void TrainRun::evaluate() {
  const auto [train, validation] = trainer_.evaluate();
  curve_.push_back({step(), train, validation});
  console_.out(fmt::format("step {:>{}}   train {:.4f}   validation {:.4f}   nats a character\n",
                           step(), fmt::formatted_size("{}", settings_.steps), train, validation));
}

void TrainRun::save() {
  const TrainRecord record{settings_, text_.identity, curve_, trainer_.state_dict()};
  try {
    write_train_record(train_record_path(folder_), record);
    saved_ = step();
    save_model_to(folder_);
    if (record.is_best(step())) save_model_to(folder_ / "best");
    nn::write_file_atomically(folder_ / "losses.csv", curve_csv(curve_));
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

void TrainRun::save_model_to(const fs::path& folder) const {
  nn::save_model(*model_, folder);
  nn::keep_file(folder / "tokenizer.json", nn::character_tokenizer_json(text_.tokenizer));
}

}  // namespace gradwalk::commands
