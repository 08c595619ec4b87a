#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 11 in order, one a file.
namespace gradwalk::lesson_11 {

void two_questions(course::Step& step);
void too_many(course::Step& step);
void alike_at_first(course::Step& step);
void take_heads_away(course::Step& step);

}  // namespace gradwalk::lesson_11
