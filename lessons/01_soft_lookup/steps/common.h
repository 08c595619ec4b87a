#pragma once

#include <limits>

/// What several steps of lesson 1 use.
namespace gradwalk::lesson_01 {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace gradwalk::lesson_01
