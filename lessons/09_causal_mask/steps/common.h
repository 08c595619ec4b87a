#pragma once

#include <cstdint>
#include <limits>

#include "lessons/course/engine/step.h"

/// What several steps of lesson 9 use.
namespace gradwalk::lesson_09 {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline std::uint64_t nth_seed(const course::Step& step, std::int64_t at) {
  return step.seed() + 1000 * static_cast<std::uint64_t>(at);
}

}  // namespace gradwalk::lesson_09
