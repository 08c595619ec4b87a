#pragma once

#include <cstdint>
#include <vector>

#include "lessons/15_repetition/repetition.h"
#include "lessons/15_repetition/writers.h"
#include "lessons/course/engine/step.h"
#include "nn/statistics/summary.h"
#include "tensor/tensor.h"

/// What several steps of lesson 15 use.
namespace gradwalk::lesson_15 {

inline constexpr std::int64_t kRealTexts = 400;  // for the repetition of real text

inline constexpr double kCold = 0.1, kPlain = 1.0;  // temperatures that the claims compare

/// One writer a seed, trained.
inline std::vector<Writer> writers(course::Step& step, bool last_word_only) {
  std::vector<Writer> all;
  const std::int64_t seeds = step.whole("seeds"), updates = step.whole("updates");
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    all.push_back({.updates = updates,
                   .seed = 100 * step.seed() + static_cast<std::uint64_t>(seed),
                   .last_word_only = last_word_only});
    model_of(all.back(), [&](std::int64_t done, std::int64_t /*total*/) {
      step.progress("train", seed * updates + done, seeds * updates);
    });
  }
  return all;
}

inline double mean(const std::vector<double>& values) { return nn::summarize(values).mean; }

inline double repetition(const Tensor& texts) { return mean(repeated_share(texts)); }

}  // namespace gradwalk::lesson_15
