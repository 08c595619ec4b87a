#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/embedding.h"
#include "nn/transformer_block.h"

namespace gradwalk::nn {

struct CausalLmOptions {
  std::int64_t vocab_size = 0;
  std::int64_t d_model = 0;
  std::int64_t num_layers = 0;
  /// With rope in block.attention positions are rotations, else a learned table of this many rows
  /// is added to the embeddings; 0: no positions at all.
  std::int64_t max_positions = 0;
  TransformerBlockOptions block = {};
  /// Whether block.attention is made causal; if not, every position sees those that it is to
  /// predict.
  bool causal = true;
  bool tie_embeddings = true;  ///< the output layer is the table of tokens
  EmbeddingOptions embedding = {};
  std::optional<Init> lm_head = std::nullopt;  ///< of an untied output layer; open: embedding.init
};

/// What goes with the ids into a forward.
struct CausalLmContext {
  KvCache* cache = nullptr;                       ///< ids are then those that follow it
  Tensor key_padding_mask = {};                   ///< bool [B, S], true: the key may be seen
  std::vector<AttentionTrace>* traces = nullptr;  ///< one a layer, filled
  std::vector<Variable>* hidden = nullptr;        ///< x before each layer and after the last
};

/// A language model that reads from left to right: logits of the next token at every position.
///
///   x = embed_tokens[ids] (+ embed_positions[0, 1, ...]),  x = block_l(x) for each layer,
///   logits = norm(x) lm_head^T
///
/// Parameters: `embed_tokens.weight`, `embed_positions.weight`, `layers.N...`, `norm.weight` (and
/// bias), `lm_head.weight` unless tied: Hugging Face's names for LLaMA without the leading
/// `model.`.
class CausalLm : public Module {
 public:
  /// @throws std::invalid_argument unless sizes are positive, and as its parts do
  CausalLm(const CausalLmOptions& options, const Seed& seed);

  /// ids [B, T] int64 to logits [B, T, V], in nats.
  /// @throws ShapeError unless ids are [B, T]; std::out_of_range for an id, or a position past the
  /// learned ones
  Variable operator()(const Tensor& ids, const CausalLmContext& context = {});

  /// A cache that fits this model. @param capacity  positions
  KvCache make_cache(std::int64_t batch, std::int64_t capacity,
                     CacheGrowth growth = CacheGrowth::kPreallocated) const;
  const CausalLmOptions& options() const { return options_; }
  /// Whether positions are rows of a table: past its end there are none.
  bool learns_positions() const { return embed_positions_ != nullptr; }

 private:
  Variable embed(const Tensor& ids, std::int64_t start) const;

  CausalLmOptions options_;
  Embedding embed_tokens_;
  std::unique_ptr<Embedding> embed_positions_;
  std::vector<std::unique_ptr<TransformerBlock>> layers_;
  std::unique_ptr<Norm> norm_;
  std::unique_ptr<Linear> lm_head_;
};

}  // namespace gradwalk::nn
