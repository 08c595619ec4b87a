#pragma once

#include "lessons/course/step.h"

namespace gradwalk::lessons {

void four_words(course::Step& step);  ///< B16
void place(course::Step& step);       ///< B50
void whole_maps(course::Step& step);  ///< B51

}  // namespace gradwalk::lessons
