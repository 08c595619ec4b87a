#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 7 in order, one a file.
namespace gradwalk::lesson_07 {

void x_three_times(course::Step& step);
void ask_for_the_next(course::Step& step);
void take_matrices_away(course::Step& step);
void swap_query_and_key(course::Step& step);

}  // namespace gradwalk::lesson_07
