#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::nn {

/// The ids of a text, cut once.
struct TokenSplit {
  std::vector<std::int64_t> train;       ///< the first floor(0.9 N) of them
  std::vector<std::int64_t> validation;  ///< the others
};
TokenSplit split_tokens(std::span<const std::int64_t> ids);

/// Windows of a text, and at each position the token that follows.
struct TokenBatch {
  Tensor inputs;   ///< int64 [B, T]
  Tensor targets;  ///< int64 [B, T]: inputs one position later
};

/// `batch` windows of `context` tokens, each from a place of its own, uniform over all there are.
/// @throws std::invalid_argument unless both sizes are positive and the text has more than
/// `context` tokens
TokenBatch draw_batch(std::span<const std::int64_t> ids, std::int64_t batch, std::int64_t context,
                      Generator& generator);

}  // namespace gradwalk::nn
