#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/causal_lm.h"
#include "nn/training/batches.h"

/// The language model of the course, taught task G. What a lesson varies is an option, and a model
/// is trained once a process however many lessons, steps and controls ask for it.
namespace gradwalk::tasks {

/// The model is an nn::CausalLm: learned tables of words and positions, N(0, 0.5^2); norm before
/// attention and feed-forward; hidden width 2 d_model with GELU; the four attention matrices and
/// the readout N(0, 1/in) without bias.
struct LanguageModelOptions {
  std::int64_t d_model = 32;
  std::int64_t layers = 2;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 0;     ///< 0: as many as heads
  bool causal = true;            ///< false: training sees what it is to predict
  bool attention = true;         ///< false: blocks without the attention branch
  bool feed_forward = true;      ///< false: blocks of attention alone
  bool positions = true;         ///< false: no table of positions
  bool query_projection = true;  ///< false: queries are slices of norm(x) itself, one a head
  bool key_projection = true;
  bool value_projection = true;
  bool output_projection = true;
  bool tied_query_key = false;                 ///< W_K is W_Q
  std::optional<double> scale = std::nullopt;  ///< of the scores; open: 1/sqrt(Dh); 0: uniform maps
  double query_key_gain = 1;                   ///< times the first W_Q and W_K

  std::int64_t steps = 400;
  std::int64_t batch = 16;    ///< windows an update
  std::int64_t context = 32;  ///< words a window, and positions
  double lr = 3e-3;           ///< of Adam
  std::int64_t train_words = 60000;
  std::int64_t test_words = 20000;

  auto operator<=>(const LanguageModelOptions&) const = default;
};

/// Another beginning: what is done to the new model before its first update.
struct LanguageModelStart {
  std::string name = "";  ///< tells starts apart: a model is remembered by it
  std::function<void(nn::CausalLm&)> change = {};
};

/// Is told how many updates are done.
using LanguageModelProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct TrainedLanguageModel {
  std::unique_ptr<nn::CausalLm> model;  ///< the caller's own, to change as he likes
  std::vector<double> losses;           ///< before each update, nats a word
};

/// The options as nn has them: for a model of the same weights that works otherwise.
nn::CausalLmOptions causal_lm_options(const LanguageModelOptions& options);

/// As it begins.
std::unique_ptr<nn::CausalLm> new_language_model(const LanguageModelOptions& options,
                                                 std::uint64_t seed,
                                                 const LanguageModelStart& start = {});

/// Trained by AdamW without decay on windows of the training text, each from a place of its own. A
/// run of which fewer updates were asked for before goes on where it stood, and ends in the same
/// bits as one from the start: ask for 100, 200, 400 to watch a training.
/// @throws std::invalid_argument as the model and its trainer do; std::runtime_error if the loss
/// is not finite
TrainedLanguageModel trained_language_model(const LanguageModelOptions& options, std::uint64_t seed,
                                            const LanguageModelProgress& progress = {},
                                            const LanguageModelStart& start = {});

/// The texts of task G that a seed stands for.
const std::vector<std::int64_t>& training_text(const LanguageModelOptions& options,
                                               std::uint64_t seed);
const std::vector<std::int64_t>& test_text(const LanguageModelOptions& options, std::uint64_t seed);

/// Windows side by side from the beginning of a text, `count` of them or as many as there are.
nn::TokenBatch text_windows(std::span<const std::int64_t> text, std::int64_t context,
                            std::int64_t count = 0);

/// Logits [T, V] of a text [T], all positions at once.
Tensor logits_at_once(nn::CausalLm& model, const Tensor& text);

/// Mean over all windows of the text, nats a word.
double language_model_loss(nn::CausalLm& model, std::span<const std::int64_t> text,
                           std::int64_t context);

}  // namespace gradwalk::tasks
