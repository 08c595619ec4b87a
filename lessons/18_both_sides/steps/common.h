#pragma once

#include "lessons/18_both_sides/old_and_new.h"

/// What several steps of lesson 18 use.
namespace gradwalk::lesson_18 {

inline double on_answer(const OldAndNew& m) { return m.on_answer; }

inline double right(const OldAndNew& m) { return m.right; }

inline double on_numbers(const OldAndNew& m) { return m.on_numbers; }

}  // namespace gradwalk::lesson_18
