#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"

/// What several steps of lesson 22 use.
namespace gradwalk::lesson_22 {

inline constexpr std::int64_t kJudged = 16, kSqueezed = 8;  // numbers in a text

inline std::vector<std::int64_t> lengths_of(course::Step& step) {
  std::vector<std::int64_t> lengths = {2, kSqueezed, kJudged};
  const std::int64_t longest = step.whole("longest");
  if (longest > kJudged) lengths.push_back(longest);
  return lengths;
}

}  // namespace gradwalk::lesson_22
