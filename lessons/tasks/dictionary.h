#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lessons/tasks/by_width.h"
#include "lessons/tasks/training.h"
#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/norm.h"
#include "tensor/random.h"

/// The dictionary task: a page of cards, each with a key and a value, and a query that asks for the
/// value of one key. One attention layer is enough to learn it, and without attention there is no
/// way to it.
namespace gradwalk::tasks {

struct DictionarySizes {
  std::int64_t keys = 16;    ///< how many different keys there are
  std::int64_t values = 16;  ///< how many different values; guessing is right once in so many
  std::int64_t entries = 8;  ///< cards on a page, with different keys
  /// Added to the key of the question, modulo keys, before it is looked for: with 1 the question 3
  /// asks for the value of key 4, and what is looked for is not what is asked.
  std::int64_t shift = 0;
};

/// Pages and their questions, all int64.
struct DictionaryBatch {
  Tensor keys;    ///< [B, E], different within a row
  Tensor values;  ///< [B, E], drawn one by one: they may repeat
  Tensor places;  ///< [B], which card is asked for
  Tensor query;   ///< [B], its key, less the shift
  Tensor answer;  ///< [B], its value
};

/// Draws pages, all uniformly.
/// @throws std::invalid_argument unless there are at least as many keys as cards, a card, and a
/// shift of 0 to keys - 1
DictionaryBatch draw_dictionary(std::int64_t batch, const DictionarySizes& sizes,
                                Generator& generator);

/// One attention layer, no feed-forward, no residual:
///
///   x_j    = key_embedding[key_j] + value_embedding[value_j]      for the cards
///   x_E    = key_embedding[query] + mark                          the question, last
///   logits = readout(attention(x)_E)
///
/// Parameters: `key_embedding.weight` [keys, D], `value_embedding.weight` [values, D],
/// `mark.weight` [1, D], `attention.*`, `readout.weight` [values, D].
class DictionaryModel : public nn::Module {
 public:
  struct Options {
    DictionarySizes sizes = {};
    std::int64_t d_model = 32;
    bool layer_norm = false;  ///< of each x, without parameters: mean 0, variance 1
    /// Weights begin as N(0, 1/in), so that queries and keys have the variance of x.
    nn::MultiHeadAttentionOptions attention = {.causal = true,
                                               .linear = {.bias = false, .init = kByWidth}};
    double query_key_gain = 1;  ///< times the first W_Q and W_K
  };

  DictionaryModel(const nn::Seed& seed, const Options& options);

  /// [B, E + 1, D]: what attention gets.
  Variable inputs(const DictionaryBatch& batch) const;

  /// Logits [B, values]. @param trace  filled, if given
  Variable operator()(const DictionaryBatch& batch, nn::AttentionTrace* trace = nullptr) const;

  const Options& options() const { return options_; }

 private:
  Options options_;
  nn::Embedding key_embedding_;
  nn::Embedding value_embedding_;
  std::unique_ptr<nn::LayerNorm> norm_;  ///< null without
  nn::Embedding mark_;
  nn::MultiHeadAttention attention_;
  nn::Linear readout_;
};

/// The parameters that move where the tables of keys and values stay as they are.
std::vector<Variable> attention_and_readout(const DictionaryModel& model);

struct DictionaryTraining {
  int steps = 400;
  std::int64_t batch = 32;
  double lr = 3e-3;  ///< no unit
  Optimizer optimizer = Optimizer::kAdam;
  /// Ends earlier, once the mean of kLossWindow losses is below it, in nats; at 0 never.
  double until = 0;
  /// Is told the number of updates so far after each.
  std::function<void(int)> progress = {};
};

/// The part of it that has nothing to do with pages.
Training training_of(const DictionaryTraining& training);

/// Trains on fresh pages.
/// @param parameters  those that move
/// @return  the loss before each update, in nats
std::vector<double> train_dictionary(const DictionaryModel& model,
                                     const std::vector<Variable>& parameters,
                                     const DictionaryTraining& training, Generator& pages);

/// Share of fresh pages that are answered right.
double dictionary_accuracy(const DictionaryModel& model, std::int64_t batch, Generator& pages);

}  // namespace gradwalk::tasks
