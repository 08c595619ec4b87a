#pragma once

#include <cstdint>
#include <string>

#include "nn/causal_lm.h"

namespace gradwalk::commands {

/// What generating took, without the time of writing the text.
struct GenerateTimes {
  std::int64_t prompt = 0;    ///< tokens of the prompt
  double prompt_seconds = 0;  ///< until the first new token was chosen
  std::int64_t steps = 0;     ///< tokens after that one
  double step_seconds = 0;    ///< of all of them
};

/// Bytes of parameters that one new token reads: all but the rows of tables that it does not look
/// up.
std::int64_t weight_bytes_per_token(const nn::CausalLm& model);

/// Bytes a second at which the kernels' threads read a block of so many bytes: the best of several
/// sums over it.
double read_bandwidth(std::int64_t bytes);

/// The lines of --stats: speeds, bytes of the cache, bytes read, and what part they are of what
/// memory gives, which is measured now.
std::string stats_text(const nn::CausalLm& model, const GenerateTimes& times, bool use_cache);

}  // namespace gradwalk::commands
