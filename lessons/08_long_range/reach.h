#pragma once

#include <cstdint>
#include <vector>

#include "lessons/08_long_range/recall.h"

namespace gradwalk::lesson_08 {

/// How much the output at the last of T words moves with one word: the length of dL/dx_t, where L
/// weighs the output's numbers with N(0, 1); root mean square over 8 such L.
struct InputGradients {
  double far = 0;   ///< of the first word
  double near = 0;  ///< of the last but one
};

/// Of a layer before any training, in float64, on a text of N(0, 1) numbers, D = 32.
/// @param length  T >= 2
InputGradients input_gradients(Reader reader, std::int64_t length, std::uint64_t seed);

/// The slope of the straight line through points (x, y) with the least squared error.
double slope_of(const std::vector<double>& x, const std::vector<double>& y);

/// exp(mean log x). @param values  positive
double geometric_mean(const std::vector<double>& values);

}  // namespace gradwalk::lesson_08
