#pragma once

#include <vector>

#include "lessons/18_both_sides/model_change.h"

/// What several steps of lesson 18 use.
namespace gradwalk::lesson_18 {

using Models = std::vector<const ModelChange*>;

inline double on_answer(const ModelChange& m) { return m.on_answer; }

inline double right(const ModelChange& m) { return m.right; }

inline double on_numbers(const ModelChange& m) { return m.on_numbers; }

}  // namespace gradwalk::lesson_18
