#pragma once

#include "lessons/course/step.h"

/// The steps of this lesson that stand in files of their own.
namespace gradwalk::lessons {

void each_token_alone(course::Step& step);  ///< token_step.cpp
void division(course::Step& step);          ///< division_step.cpp

}  // namespace gradwalk::lessons
