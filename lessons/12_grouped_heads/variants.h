#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/attention.h"
#include "nn/kv_cache.h"
#include "nn/module.h"
#include "nn/transformer_block.h"

/// Layers whose query heads share keys and values, and what they cost.
namespace gradwalk::lesson_12 {

/// "MHA", "GQA, 4 kv" or "MQA", as `kv_heads` of `heads` have it.
std::string variant_name(std::int64_t heads, std::int64_t kv_heads);

/// The numbers in a module's parameters, and their bytes.
double parameter_bytes(const nn::Module& module);

/// A layer that computes what `layer` does, but in which each query head has a copy of the keys and
/// values that it shares there.
std::unique_ptr<nn::MultiHeadAttention> with_copies(const nn::MultiHeadAttention& layer,
                                                    std::int64_t d_model);

/// Multiply-adds for the newest word.
struct WordCost {
  double projections;  ///< those that do not depend on the length of the text
  double each_word;    ///< more for each word that is seen: scores and mixing
};
/// Counted as the layer reads one word behind a cache of 128, and of 1024 words.
WordCost cost_of_a_word(const nn::MultiHeadAttention& layer, std::int64_t d_model);

/// The cache of the layer once it has read `words` words, one after the other.
nn::KvCache cache_after(const nn::MultiHeadAttention& layer, std::int64_t d_model,
                        std::int64_t words);

/// Parameters of two models, by name.
struct Differences {
  std::vector<std::string> names;   ///< that stand in one of them only
  std::vector<std::string> shapes;  ///< names that stand in both, with other shapes
  std::int64_t same = 0;            ///< names with the same shape in both
};
Differences differences(const nn::Module& a, const nn::Module& b);

/// What one block of a model reads, and how long it takes, for one more word behind a cache.
struct BlockStep {
  double weight_bytes;
  double cache_bytes;  ///< of the words before it
  double ms;           ///< median of 9 runs
};

/// A block with d = 512, 8 query heads of 64 and 2048 hidden units, in float32.
class BlockReader {
 public:
  BlockReader(std::int64_t kv_heads, std::uint64_t seed);

  /// Reads one more word behind `words` others.
  BlockStep read(std::int64_t words);

 private:
  std::int64_t kv_heads_;
  std::uint64_t seed_;
  nn::TransformerBlock block_;
};

/// Attention of one query over a cache of MHA, 8 heads of 64, by naive loops and by our kernel.
struct LoopsAndKernel {
  double time_ratio;  ///< loops over kernel, medians of 3 and 9 runs
  double apart;       ///< the largest difference of what they give
};
LoopsAndKernel loops_and_kernel(std::int64_t words, std::uint64_t seed);

}  // namespace gradwalk::lesson_12
