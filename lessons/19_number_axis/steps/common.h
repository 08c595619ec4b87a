#pragma once

#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"

/// What several steps of lesson 19 use.
namespace gradwalk::lesson_19 {

inline double key_order(const ModelMeasures& seen) { return seen.number_keys.order; }

inline double rho(const ModelMeasures& seen) { return seen.alignment.rho; }

inline double accuracy(const ModelMeasures& seen) { return seen.accuracy; }

inline const std::vector<std::string> kNames = {"any number?", "one of 8 ... 15?", "largest",
                                                "sum of two", "largest of two"};

}  // namespace gradwalk::lesson_19
