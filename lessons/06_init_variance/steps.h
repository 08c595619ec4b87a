#pragma once

#include "lessons/course/step.h"

/// The later steps of lesson 6.
namespace gradwalk::lessons {

void too_large(course::Step& step);        ///< too_large.cpp
void too_small(course::Step& step);        ///< too_small.cpp
void how_much_slower(course::Step& step);  ///< curve.cpp

}  // namespace gradwalk::lessons
