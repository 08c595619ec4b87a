#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/course/engine/step.h"

/// What the steps on random queries and keys draw and measure, by the lesson's parameters.
namespace gradwalk::lesson_05 {

/// Widths of queries and keys, from 4 up to the parameter `width`.
std::vector<std::int64_t> widths(course::Step& step);

std::string at_width(std::int64_t d_k);  ///< "d_k 64"

/// Scores of all seeds together, [widths, seeds * pairs], float64; drawn once a process.
const Tensor& scores_by_width(course::Step& step, const std::vector<std::int64_t>& d_ks,
                              std::int64_t pairs, const Entries& entries);

/// Both kinds of scores of the same queries and keys, means over the seeds.
struct RawAndScaled {
  Saturation raw, scaled;
};

/// Of rows over 64 keys, their scores times the one factor and times the other.
RawAndScaled saturation_at(course::Step& step, std::int64_t d_k, double raw_factor,
                           double scaled_factor);

}  // namespace gradwalk::lesson_05
