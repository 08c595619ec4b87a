#pragma once

#include <cstdint>
#include <vector>

#include "lessons/tasks/dictionary.h"

/// The dictionary task with several questions at once: one token asks for the values of different
/// cards, and all of them must be named, in order. One head finds the cards, but its one sum of
/// their values does not say whose is whose.
namespace gradwalk::lesson_11 {

/// Pages and their questions, all int64. E cards on a page, N questions.
struct MultiLookupBatch {
  Tensor keys;     ///< [B, E], different within a row
  Tensor values;   ///< [B, E], drawn one by one: they may repeat
  Tensor places;   ///< [B, N], which cards are asked for: different within a row
  Tensor queries;  ///< [B, N], their keys
  Tensor answers;  ///< [B, N], their values
};

/// Draws pages, all uniformly.
/// @throws std::invalid_argument as draw_dictionary, and unless 1 <= questions <= entries
MultiLookupBatch draw_multi_lookup(std::int64_t batch, std::int64_t questions,
                                   const tasks::DictionarySizes& sizes, Generator& generator);

/// One attention layer, no feed-forward, no residual:
///
///   x_j      = key_embedding[key_j] + value_embedding[value_j]          for the cards
///   x_E      = mark + sum_n query_embedding[n, query_n]                 all questions in one token
///   logits_n = readout_n(attention(x)_E)
///
/// Each question has a table of its own, so that x_E tells which key is asked for first.
///
/// Parameters: `key_embedding.weight` [keys, D], `value_embedding.weight` [values, D],
/// `query_embedding.weight` [N keys, D], `mark.weight` [1, D], `attention.*`, `readout.weight`
/// [N values, D].
class MultiLookupModel : public nn::Module {
 public:
  struct Options {
    std::int64_t questions = 2;
    tasks::DictionaryModel::Options dictionary = {};
  };

  MultiLookupModel(const nn::Seed& seed, const Options& options);

  /// Logits [B, N, values]. @param trace  filled, if given
  Variable operator()(const MultiLookupBatch& batch, nn::AttentionTrace* trace = nullptr) const;

  const Options& options() const { return options_; }
  MultiLookupBatch draw(std::int64_t batch, Generator& generator) const;

 private:
  Options options_;
  nn::Embedding key_embedding_;
  nn::Embedding value_embedding_;
  nn::Embedding query_embedding_;
  nn::Embedding mark_;
  nn::MultiHeadAttention attention_;
  nn::Linear readout_;
};

/// Trains all parameters on fresh pages, on the mean cross-entropy of all answers.
/// @return  the loss before each update, in nats
std::vector<double> train_multi_lookup(const MultiLookupModel& model,
                                       const tasks::DictionaryTraining& training, Generator& pages);

/// Shares of fresh pages, in [0, 1].
struct MultiLookupScore {
  double each;  ///< a question is answered right
  double all;   ///< every question of the page is
  double set;   ///< an answer is that of some question of the page
};
MultiLookupScore multi_lookup_score(const MultiLookupModel& model, std::int64_t batch,
                                    Generator& pages);

}  // namespace gradwalk::lesson_11
