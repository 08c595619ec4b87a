#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/linear.h"

/// The model of part IV: one attention layer in which only [CLS] asks, and a readout of what it
/// got.
namespace gradwalk::tasks {

/// What makes weights of the scores z.
enum class Weighting {
  kSoftmax,
  kUniform,  ///< 1 / S whatever z is: queries and keys do nothing
  kSigmoid,  ///< sigmoid(z_i) / S: positive, but keys do not compete
  kLinear    ///< z_i / S: of either sign
};

struct ClsModelOptions {
  std::int64_t vocabulary = 33;
  std::int64_t classes = 16;
  std::int64_t noun_classes = 0;  ///< of a second readout; 0: none
  std::int64_t d_model = 16;
  std::int64_t heads = 1;
  std::int64_t head_dim = 8;
  double embedding_sd = 0.3;
  Weighting weighting = Weighting::kSoftmax;
  /// Tokens 1, ..., n whose keys, or values, are made of the mean of their embeddings: nothing
  /// tells them apart there. 0: none.
  std::int64_t one_key = 0;
  std::int64_t one_value = 0;

  auto operator<=>(const ClsModelOptions&) const = default;
};

/// What goes with the ids into a forward of a ClsModel.
struct ClsContext {
  nn::AttentionTrace* trace = nullptr;  ///< filled: one query; S keys, [CLS] first
  /// Vectors [V, D] that keys, or values, are made of in place of the embeddings.
  Tensor key_table = {};
  Tensor value_table = {};
};

/// No positions, no norm, no feed-forward layer:
///
///   u = e_CLS + attention(e_CLS, e, e),   logits = C u + b
///
/// where [CLS] is one of the keys. Embeddings begin as N(0, embedding_sd^2), W_Q, W_K, W_V, C as
/// N(0, 1/d_model), W_O as N(0, 1/(heads head_dim)), b at 0.
///
/// Parameters: `embedding.weight` [V, D], `attention.*`, `readout.weight`, `readout.bias`, and
/// those of `noun_readout`.
class ClsModel : public nn::Module {
 public:
  ClsModel(const ClsModelOptions& options, const nn::Seed& seed);

  /// ids int64 [B, S], [CLS] first, to u [B, D]. @throws as nn::MultiHeadAttention and embedding
  Variable summary(const Tensor& ids, const ClsContext& context = {}) const;
  /// u [B, D] to logits [B, classes]; of the second readout [B, noun_classes].
  Variable logits(const Variable& summary) const { return readout_(summary); }
  /// @throws std::logic_error where there is none
  Variable noun_logits(const Variable& summary) const;

  /// The table of embeddings [V, D]; it shares the model's storage.
  const Tensor& embeddings() const { return embedding_.weight().value(); }
  const ClsModelOptions& options() const { return options_; }

 private:
  ClsModelOptions options_;
  nn::Embedding embedding_;
  nn::MultiHeadAttention attention_;
  nn::Linear readout_;
  std::unique_ptr<nn::Linear> noun_readout_;
};

/// The text [CLS], 1, 2, ..., V - 1 as ids [1, V]: with a trace it shows the query, and what every
/// token of the vocabulary is to it.
Tensor whole_vocabulary(const ClsModel& model);

}  // namespace gradwalk::tasks
