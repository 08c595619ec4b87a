#pragma once

#include <functional>
#include <span>
#include <vector>

#include "nn/causal_lm.h"
#include "nn/sampling.h"

namespace gradwalk::nn {

struct GenerateOptions {
  std::int64_t steps = 0;  ///< new tokens, at most
  SamplingOptions sampling = {};
  std::vector<std::int64_t> stop_tokens = {};  ///< end the text; not a part of it
  std::uint64_t seed = 1;                      ///< of the draws
  bool use_cache = true;                       ///< else every step computes all positions anew
  /// Where a model with learned positions has no more of them, go on: each step computes as many of
  /// the newest tokens anew as there are positions.
  bool slide = false;
};

/// Continues a text, one token at a time. The tokens are the same with and without a cache, up to
/// logits that are equal to rounding.
///
/// The model works in evaluation mode meanwhile, without gradients. A model with learned positions
/// ends the text where it has no more of them, unless it may slide.
///
/// @param prompt    at least one id
/// @param on_token  called with each new token as it comes; false ends the text
/// @return          the new tokens
/// @throws std::invalid_argument for an empty prompt, steps < 0 or an option of sampling out of its
/// range; std::out_of_range for a prompt that is longer than the learned positions, unless it may
/// slide
std::vector<std::int64_t> generate(CausalLm& model, std::span<const std::int64_t> prompt,
                                   const GenerateOptions& options,
                                   const std::function<bool(std::int64_t)>& on_token = {});

}  // namespace gradwalk::nn
