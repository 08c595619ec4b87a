#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/step.h"

/// What sharing keys and values costs a language model: two models from one seed, which see the
/// same windows in the same order, and start with the same numbers wherever they have the same
/// shapes.
namespace gradwalk::lesson_12 {

/// Query heads of the models that are compared.
inline constexpr std::int64_t kPairHeads = 8;

struct LossPairs {
  std::vector<double> own;     ///< MHA: losses on the test text, nats a word
  std::vector<double> shared;  ///< the other's, from the same seeds
  std::vector<double> gaps;    ///< 100 (shared / own - 1), in per cent
};

/// Trains, or finds what this process has trained before.
LossPairs loss_pairs(const course::Step& step, std::int64_t kv_heads, std::int64_t pairs,
                     std::int64_t updates);

/// Is the mean of what was drawn above 0? Yes where t > 2, no where mean + 2 standard errors is not
/// above 0, else the draws do not tell.
course::Truth is_above_zero(const std::vector<double>& values);

/// t of the first `least` values, of one more, and so on to all.
std::vector<double> running_t(const std::vector<double>& values, std::size_t least);

}  // namespace gradwalk::lesson_12
