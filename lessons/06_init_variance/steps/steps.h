#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 6 in order, one a file.
namespace gradwalk::lesson_06 {

void squared_in_scores(course::Step& step);
void too_large(course::Step& step);
void too_small(course::Step& step);
void how_much_slower(course::Step& step);

}  // namespace gradwalk::lesson_06
