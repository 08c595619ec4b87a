#pragma once

#include "lessons/course/step.h"

/// The second half of lesson 1: many questions at once, a library's layer, and one that learns.
namespace gradwalk::lessons {

void rows_and_columns(course::Step& step);
void four_lines(course::Step& step);
void learned(course::Step& step);

}  // namespace gradwalk::lessons
