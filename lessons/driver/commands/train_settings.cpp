#include "lessons/driver/commands/train_settings.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lessons/course/text/parse.h"

namespace gradwalk::commands {

nn::LanguageModelTraining TrainSettings::training() const {
  nn::LanguageModelTraining training;
  training.batch = batch;
  training.context = context;
  training.schedule = {.lr = lr, .min_lr = lr / 10, .warmup = warmup, .steps = steps};
  training.adamw.weight_decay = weight_decay;
  training.seed = static_cast<std::uint64_t>(seed);
  return training;
}

nn::GptOptions TrainSettings::gpt(std::int64_t vocab_size) const {
  return {.vocab_size = vocab_size,
          .d_model = d_model,
          .num_layers = layers,
          .num_heads = heads,
          .max_positions = context,
          .dropout = dropout};
}

std::string TrainSetting::text(const TrainSettings& settings) const {
  return std::visit([&](auto at) { return fmt::format("{}", settings.*at); }, member);
}

bool TrainSetting::set(TrainSettings& settings, const std::string& text) const {
  if (const auto* whole = std::get_if<std::int64_t TrainSettings::*>(&member)) {
    const auto value = course::parse_whole(text);
    if (!value || static_cast<double>(*value) < least || static_cast<double>(*value) > most) {
      return false;
    }
    settings.*(*whole) = *value;
    return true;
  }
  const auto value = course::parse_number(text);
  if (!value || *value < least || *value >= most) return false;
  settings.*std::get<double TrainSettings::*>(member) = *value;
  return true;
}

std::string TrainSetting::expected() const {
  if (std::holds_alternative<std::int64_t TrainSettings::*>(member)) {
    return fmt::format("a whole number from {:.0f} to {:.0f}", least, most);
  }
  return fmt::format("a number in [{}, {})", least, most);
}

const std::vector<TrainSetting>& train_setting_table() {
  using S = TrainSettings;
  constexpr double kSize = 1 << 16;
  constexpr double kCount = 1e9;
  static const std::vector<TrainSetting> table = {
      {"steps", "N", "updates", &S::steps, 1, kCount},
      {"batch", "B", "windows an update", &S::batch, 1, kSize},
      {"context", "T", "characters a window, the most that the model sees", &S::context, 1, kSize},
      {"d-model", "D", "width of the model, a multiple of the heads", &S::d_model, 1, kSize},
      {"layers", "L", "transformer blocks", &S::layers, 1, 1000},
      {"heads", "H", "attention heads", &S::heads, 1, kSize},
      {"lr", "X", "highest learning rate; it falls to a tenth", &S::lr, 0, 1000},
      {"warmup", "N", "updates while it rises", &S::warmup, 0, kCount},
      {"dropout", "P", "of what attention and feed-forward add", &S::dropout, 0, 1},
      {"weight-decay", "X", "of matrices and tables", &S::weight_decay, 0, 1000},
      {"seed", "S", "of initial values, batches and dropout", &S::seed, 0, 1LL << 53},
      {"eval-every", "N", "updates between two points of the curve", &S::eval_every, 1, kCount},
      {"save-every", "N", "updates between checkpoints, of which each point of the curve is one",
       &S::save_every, 1, kCount, /*changes_result=*/false},
  };
  return table;
}

std::map<std::string, std::string> texts_of(const TrainSettings& settings) {
  std::map<std::string, std::string> texts;
  for (const TrainSetting& one : train_setting_table()) texts[one.name] = one.text(settings);
  return texts;
}

TrainSettings settings_from(const std::map<std::string, std::string>& texts) {
  TrainSettings settings;
  for (const TrainSetting& one : train_setting_table()) {
    const auto found = texts.find(one.name);
    const std::string text = found == texts.end() ? "" : found->second;
    if (!one.set(settings, text)) {
      throw std::runtime_error(
          fmt::format("{}: expected {}, got '{}'", one.name, one.expected(), text));
    }
  }
  if (settings.d_model % settings.heads != 0) {
    throw std::runtime_error(fmt::format("d-model: expected a multiple of heads, got {} and {}",
                                         settings.d_model, settings.heads));
  }
  return settings;
}

}  // namespace gradwalk::commands
