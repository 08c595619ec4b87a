#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lessons/tasks/language_model.h"

/// The models of this lesson and the texts that they write. Models and texts are made once a
/// process and remembered.
namespace gradwalk::lesson_15 {

constexpr std::int64_t kPrompt = 8;  ///< words of real text that each text begins with
constexpr std::int64_t kWords = 96;  ///< that are written behind them

/// Is told how many updates of how many are done, or words of how many written.
using WriterProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A model of the grammar corpus, trained with a seed.
struct Writer {
  std::int64_t updates = 400;
  std::uint64_t seed = 1;
  bool last_word_only = false;  ///< no attention and no positions
  /// Scores are divided by this before the softmax of attention, once training is over.
  double attention_temperature = 1;

  auto operator<=>(const Writer&) const = default;
};

tasks::LanguageModelOptions options_of(const Writer& writer);
std::unique_ptr<nn::CausalLm> model_of(const Writer& writer, const WriterProgress& progress = {});

/// `texts` times 8 words from places of the test text, int64 [N, 8]; the same for all writers of a
/// seed.
Tensor prompts_of(const Writer& writer, std::int64_t texts);

/// Pieces of the test text itself, int64 [N, 96].
Tensor real_texts(const Writer& writer, std::int64_t texts);

/// What the writer writes behind its prompts, int64 [N, 96].
const Tensor& texts_of(const Writer& writer, std::int64_t texts, double temperature);

/// The most likely word after each of the 40, read alone.
std::vector<std::int64_t> next_words(const Writer& writer);

/// Is each text what that map says, word by word from the last of its prompt?
bool follows(const Tensor& texts, const Tensor& prompts, const std::vector<std::int64_t>& next);

/// Entropies of each text, the mean over the words that were written, in nats. Each word is seen
/// with the 24 to 31 before it (at the beginning with those there are), eight of them in one
/// window.
struct WritingEntropy {
  /// Of the map's row that the word was made from, mean of all heads.
  std::vector<double> attention;
  std::vector<double> next_word;  ///< of the distribution that it was drawn from
};
WritingEntropy writing_entropy(const Writer& writer, std::int64_t texts, double temperature);

}  // namespace gradwalk::lesson_15
