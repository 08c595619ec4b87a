#pragma once

#include <memory>

#include "nn/causal_lm.h"

namespace gradwalk::nn {

/// Sizes of a small GPT-2.
struct GptOptions {
  std::int64_t vocab_size = 0;
  std::int64_t d_model = 128;
  std::int64_t num_layers = 4;
  std::int64_t num_heads = 4;
  std::int64_t max_positions = 64;
  double dropout = 0;  ///< of what attention and feed-forward add to x
};

/// Learned positions, norms before attention and feed-forward, GELU in the tanh form, biases, the
/// output layer tied to the table of tokens; weights and tables begin as N(0, 0.02^2), biases at 0.
CausalLmOptions gpt_options(const GptOptions& options);

/// That model at its beginning, but with N(0, 0.02^2 / (2 layers)) in the last layer of attention
/// and feed-forward, so that the sum over all layers keeps its size.
///
/// @throws std::invalid_argument as CausalLm
/// Source  Radford et al. 2019, section 2.3
std::unique_ptr<CausalLm> make_gpt(const GptOptions& options, const Seed& seed);

}  // namespace gradwalk::nn
