#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/course/engine/step.h"
#include "tensor/create.h"
#include "tensor/dtype.h"
#include "tensor/elementwise.h"
#include "tensor/tensor.h"

/// What several steps of lesson 5 use.
namespace gradwalk::lesson_05 {

inline constexpr std::int64_t kKeys = 64;

/// Both kinds of scores of the same queries and keys, means over the seeds.
struct RawAndScaled {
  Saturation raw, scaled;
};

inline RawAndScaled saturation_at(course::Step& step, std::int64_t d_k, double raw_factor,
                                  double scaled_factor) {
  std::vector<Saturation> raw, scaled;
  for (std::int64_t seed = 0; seed < step.whole("seeds"); ++seed) {
    const Tensor s = random_scores(step.whole("queries"), kKeys, d_k,
                                   step.generator(fmt::format("queries {} {}", d_k, seed)));
    raw.push_back(saturation_of(s * raw_factor));
    scaled.push_back(saturation_of(s * scaled_factor));
  }
  return {mean_of(raw), mean_of(scaled)};
}

inline double root_factor(std::int64_t d_k) { return 1 / std::sqrt(static_cast<double>(d_k)); }

}  // namespace gradwalk::lesson_05
