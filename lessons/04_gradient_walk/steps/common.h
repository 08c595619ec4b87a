#pragma once

#include <string>
#include <vector>

#include "lessons/tasks/toy4d.h"
#include "tensor/create.h"

/// What several steps of lesson 4 use.
namespace gradwalk::lesson_04 {

inline const std::vector<std::string> kComponents = {"0", "1", "2", "3"};

inline const tasks::Trained kQueryOnly = {.w_q = true};

inline const tasks::Trained kAllWeights = {.w_q = true, .w_k = true, .w_v = true, .c = true};

}  // namespace gradwalk::lesson_04
