#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// How the next token is chosen from its logits. They are applied in this order.
struct SamplingOptions {
  /// > 1 makes tokens that occurred less likely: a positive logit is divided by it, a negative one
  /// multiplied (Keskar et al. 2019, section 4.1). 1: off.
  double repetition_penalty = 1;
  /// Logits are divided by it. 0: always the most likely token, of equals the one with the lowest
  /// id.
  double temperature = 0;
  /// Only so many of the most likely tokens, of equals those with the lowest ids. 0, or more than
  /// there are: all.
  std::int64_t top_k = 0;
  /// Only the fewest of the most likely tokens whose probabilities reach this sum (nucleus
  /// sampling, Holtzman et al. 2020, section 3.1). 1: all. At least one token stays.
  double top_p = 1;
};

struct Candidate {
  std::int64_t id;
  double probability;
};

/// The tokens that may come next, most likely first, of equals the lowest id first; their
/// probabilities sum to 1.
///
/// @param logits   [V], in nats, float
/// @param options  temperature >= 0 and finite, top_k >= 0, 0 <= top_p <= 1, repetition_penalty > 0
/// @param history  the ids that occurred, for the penalty
/// @param op       the function that errors name
/// @throws ShapeError unless logits are [V] with V >= 1; std::invalid_argument for an option out of
/// its range, a NaN among the logits, or none of them above -inf; std::out_of_range for an id
std::vector<Candidate> candidates(const Tensor& logits, const SamplingOptions& options,
                                  std::span<const std::int64_t> history = {},
                                  const char* op = "candidates");

/// The candidate on which u falls when they stand side by side, each as wide as its probability.
/// @param u  uniform in [0, 1)
std::int64_t pick(std::span<const Candidate> candidates, double u);

}  // namespace gradwalk::nn
