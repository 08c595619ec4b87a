#pragma once

#include <memory>
#include <vector>

#include "nn/embedding.h"
#include "nn/transformer_block.h"

namespace gradwalk::nn {

struct EncoderOptions {
  std::int64_t vocab_size = 0;
  std::int64_t d_model = 0;
  std::int64_t num_layers = 0;
  std::int64_t max_positions = 0;  ///< rows of the learned table; 0: no positions
  std::int64_t num_types = 0;      ///< of segments, as BERT has two; 0: none
  bool embedding_norm = true;      ///< normalises the sum of the embeddings, as BERT does
  TransformerBlockOptions block = {.norm_place = NormPlace::kPost};
  EmbeddingOptions embedding = {};
};

/// What goes with the ids into a forward of an Encoder.
struct EncoderContext {
  Tensor types = {};                              ///< [B, T] int64, segment of each token; none: 0
  Tensor key_padding_mask = {};                   ///< bool [B, T], true: the token may be seen
  std::vector<AttentionTrace>* traces = nullptr;  ///< one a layer, filled
  std::vector<Variable>* hidden = nullptr;        ///< x before each layer and after the last
};

/// A model in which every token sees every other one. Its summary is what it makes of the first
/// token, [CLS].
///
///   x = norm(embed_tokens[ids] + embed_positions[0, 1, ...] + embed_types[types]),
///   x = block_l(x) for each layer (with pre-norm blocks a last norm follows)
///
/// Parameters: `embed_tokens.weight`, `embed_positions.weight`, `embed_types.weight`,
/// `embed_norm.*`, `layers.N...`, and `norm.*` where blocks are pre-norm.
/// Source  Devlin et al. 2019 (BERT), section 3
class Encoder : public Module {
 public:
  /// @throws std::invalid_argument unless vocab_size and d_model are positive, and as its parts do
  Encoder(const EncoderOptions& options, const Seed& seed);

  /// ids [B, T] int64 to [B, T, D].
  /// @throws ShapeError unless ids and types are [B, T]; std::out_of_range for an id, a type or a
  /// position that has no row; std::invalid_argument for types where there are none
  Variable operator()(const Tensor& ids, const EncoderContext& context = {});

  const EncoderOptions& options() const { return options_; }

 private:
  Variable embed(const Tensor& ids, const Tensor& types) const;

  EncoderOptions options_;
  Embedding embed_tokens_;
  std::unique_ptr<Embedding> embed_positions_;
  std::unique_ptr<Embedding> embed_types_;
  std::unique_ptr<Norm> embed_norm_;
  std::vector<std::unique_ptr<TransformerBlock>> layers_;
  std::unique_ptr<Norm> norm_;
};

/// x [B, T, D] to [B, D]: what an encoder makes of the first token.
Variable cls(const Variable& x);

}  // namespace gradwalk::nn
