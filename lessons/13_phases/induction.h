#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lessons/tasks/training.h"
#include "nn/causal_lm.h"
#include "tensor/random.h"

/// The induction task: a few different symbols, again and again. From the second time on each is
/// known: it is the one that followed the same symbol before. How long a round is differs from text
/// to text, so that no fixed distance says it: the model has to find the earlier match.
namespace gradwalk::lesson_13 {

struct InductionSizes {
  std::int64_t symbols = 16;
  std::int64_t shortest = 5;  ///< round, in symbols
  std::int64_t longest = 11;
  std::int64_t tokens = 31;  ///< that the model reads
};

/// Texts, all int64.
struct InductionBatch {
  Tensor rounds;   ///< [B], how long a round is
  Tensor inputs;   ///< [B, T]
  Tensor targets;  ///< [B, T], the next symbol; -100, which no loss counts, in the first round
};

/// Draws texts: the length of the round and its symbols, all different, uniformly.
/// @throws std::invalid_argument unless 1 <= shortest <= longest <= symbols and longest < tokens
InductionBatch draw_induction(std::int64_t batch, const InductionSizes& sizes,
                              Generator& generator);

/// Where a query finds its answer: each key that follows an earlier place of the query's own
/// symbol.
/// @param inputs  int64 [B, T]
/// @return        bool [B, T, T]
Tensor after_earlier_match(const Tensor& inputs);

struct InductionOptions {
  InductionSizes sizes = {};
  std::int64_t d_model = 32;
  std::int64_t layers = 2;
  std::int64_t heads = 4;
};

/// Blocks of attention alone, without feed-forward. Weights begin as those of the language model.
std::unique_ptr<nn::CausalLm> new_induction_model(const InductionOptions& options,
                                                  const nn::Seed& seed);

/// Trains all parameters on fresh texts, 32 an update.
/// @return  the loss before each update, in nats a symbol that counts
std::vector<double> train_induction(nn::CausalLm& model, const InductionSizes& sizes,
                                    const tasks::Training& training, Generator& texts);

struct InductionScore {
  double accuracy;  ///< share of the symbols that count
  /// Weight on the key before the query, the mean over the queries of the first round but 0, which
  /// leave the note that others find: [layers][heads].
  std::vector<std::vector<double>> previous;
  /// Weight on the keys after an earlier match, the mean over the queries that count.
  std::vector<std::vector<double>> after_match;
  /// The largest weight of a row of the map, the mean over the same queries.
  std::vector<std::vector<double>> sharpest;
};
InductionScore induction_score(nn::CausalLm& model, const InductionBatch& texts);

}  // namespace gradwalk::lesson_13
