#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/causal_lm.h"

namespace gradwalk::bench {

/// Sizes of a LLaMA style model that writes one token after the other.
struct DecodeConfig {
  std::string name;
  std::int64_t d_model, d_hidden, num_layers, num_heads, num_kv_heads, vocab_size;
};

/// stories15m, with two key/value heads, and with a small vocabulary: the sizes of the peers' own
/// program.
const std::vector<DecodeConfig>& decode_configs();

/// What is measured: the tokens at positions kDecodeStart, ..., kDecodeStart + kDecodeTokens - 1.
/// The cache then holds 128 positions in the middle, half of a text of 256.
inline constexpr std::int64_t kDecodeStart = 120;
inline constexpr std::int64_t kDecodeTokens = 16;

/// Bytes that a token must read: all weights of the products, and the keys and values so far.
double decode_bytes(const DecodeConfig& config);

/// RMSNorm, rope, SwiGLU, no biases, and the embedding used again as the head.
/// Source  Touvron et al. 2023 (LLaMA), section 2.2
nn::CausalLmOptions decode_options(const DecodeConfig& config);

/// A model with weights at random and a cache of a text at random, always the same ones.
class Decoding {
 public:
  explicit Decoding(const DecodeConfig& config);

  /// What nn::generate does for each token: logits [V] from one id and the cache, and the most
  /// likely token picked. It is not what comes next; that is the text's, so that all ways read the
  /// same. Returns the logits of all steps.
  std::vector<Tensor> decode();
  /// The logits of the first `steps` of them, each computed from all ids up to there.
  std::vector<Tensor> decode_without_cache(std::int64_t steps);

  const nn::CausalLm& model() const { return model_; }
  /// The text: int64 [1, kDecodeStart + kDecodeTokens].
  const Tensor& ids() const { return ids_; }

 private:
  nn::CausalLm model_;
  Tensor ids_;
  nn::KvCache cache_;
};

}  // namespace gradwalk::bench
