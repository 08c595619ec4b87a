#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/causal_lm.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_10 {

/// The first `count` words of a text, [count].
Tensor words_of(std::span<const std::int64_t> text, std::int64_t count);

/// A model with the sizes of `like`, whose numbers are float64, and its weights.
std::unique_ptr<nn::CausalLm> in_float64(const nn::CausalLm& like);

/// A model with the weights of `like`, in which every position sees all positions, or with a mask
/// only those up to its own.
std::unique_ptr<nn::CausalLm> with_mask(const nn::CausalLm& like, bool causal);

/// Logits [T, V] of a text [T], one token after the other, with a cache.
Tensor logits_one_by_one(nn::CausalLm& model, const Tensor& text);

/// The same as naive loops compute them (tensor/reference), all positions at once: for a model
/// with a table of positions, LayerNorm before attention and feed-forward, and GELU by erf.
Tensor logits_by_loops(const nn::CausalLm& model, const Tensor& text);

/// How far keys and values of the first tokens move when the text goes on, by layer and by length:
/// moved[l][n - first] = |now - before| as a share of |before|, largest entries, of the first
/// `first` tokens in a text of n tokens.
std::vector<std::vector<double>> moves_of_old_keys(nn::CausalLm& model, const Tensor& text,
                                                   std::int64_t first);

/// The likeliest words that a model writes behind a prompt until its positions end, with a cache
/// and without.
struct Texts {
  std::int64_t words = 0;  ///< in each
  std::int64_t equal = 0;  ///< at the same place
  std::string text;        ///< with the cache
};
Texts write_twice(nn::CausalLm& model, std::span<const std::int64_t> prompt);

/// What the last token of a text costs when those before it are read.
struct StepCost {
  double with = 0, without = 0;        ///< a cache: multiply-adds; 0 if they are not counted
  double with_ms = 0, without_ms = 0;  ///< medians of 9 and 3 runs
};
/// @param cached   false: also the step with a cache computes all tokens
/// @param counted  whether to run it once more as products of whole attention maps [H, T, S],
///                 counted, where fused attention skips what the mask hides
StepCost cost_of_a_step(nn::CausalLm& model, const Tensor& text, bool cached, bool counted);

}  // namespace gradwalk::lesson_10
