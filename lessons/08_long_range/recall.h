#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lessons/tasks/training.h"
#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/recurrent.h"
#include "tensor/random.h"

/// First-token recall: a symbol, then words that mean nothing, and at the end the symbol must be
/// named. What a model can do here is to carry one thing over a distance.
namespace gradwalk::lesson_08 {

struct RecallSizes {
  std::int64_t symbols = 8;       ///< guessing is right once in so many
  std::int64_t distractors = 16;  ///< different words that mean nothing
  std::int64_t length = 32;       ///< tokens, with the symbol
  bool symbol_last = false;       ///< the symbol ends the text in place of beginning it
};

struct RecallBatch {
  Tensor tokens;  ///< int64 [B, T]: symbols are 0, 1, ..., the other words follow them
  Tensor answer;  ///< int64 [B], the symbol
};

/// Draws texts, all uniformly.
/// @throws std::invalid_argument unless all sizes are positive
RecallBatch draw_recall(std::int64_t batch, const RecallSizes& sizes, Generator& generator);

enum class Reader {
  kRnn,
  kOrthogonalRnn,  ///< W_hh begins orthogonal: a step turns h and does not shrink it
  kGru,
  kAttention  ///< one head, no positions
};
const char* name(Reader reader);  ///< "RNN", ...

/// One layer that reads a text, D numbers wide; all its matrices begin as U(-1/sqrt(D), 1/sqrt(D)),
/// as PyTorch has it.
class ReadingLayer : public nn::Module {
 public:
  ReadingLayer(Reader reader, std::int64_t d_model, const nn::Seed& seed,
               DType dtype = DType::kFloat32);

  /// x [B, T, D] to its output at the last token, [B, D].
  Variable operator()(const Variable& x) const;

 private:
  std::unique_ptr<nn::Recurrent> recurrent_;
  std::unique_ptr<nn::MultiHeadAttention> attention_;
};

/// logits = readout(layer(embedding[tokens] + positions)_last)
///
/// Attention alone does not know where a word stands; `positions` says it, to all readers alike.
///
/// Parameters: `embedding.weight` [symbols + distractors, D], `positions.weight` [T, D], `layer.*`,
/// `readout.weight` [symbols, D], `readout.bias`.
class RecallModel : public nn::Module {
 public:
  RecallModel(Reader reader, const RecallSizes& sizes, const nn::Seed& seed,
              std::int64_t d_model = 32);

  /// tokens [B, T] to logits [B, symbols].
  Variable operator()(const Tensor& tokens) const;
  const RecallSizes& sizes() const { return sizes_; }

 private:
  RecallSizes sizes_;
  nn::Embedding embedding_;
  nn::Embedding positions_;
  ReadingLayer layer_;
  nn::Linear readout_;
};

/// Trains all parameters on fresh texts, on the cross-entropy of the answer.
/// @return  the loss before each update, in nats
std::vector<double> train_recall(const RecallModel& model, std::int64_t batch,
                                 const tasks::Training& training, Generator& texts);

/// Share of fresh texts whose symbol is named, in [0, 1].
double recall_accuracy(const RecallModel& model, std::int64_t batch, Generator& texts);

}  // namespace gradwalk::lesson_08
