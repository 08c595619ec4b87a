#pragma once

#include "lessons/course/step.h"

/// The step of this lesson that stands in a file of its own.
namespace gradwalk::lessons {

/// A task that needs two heads at once: induction_step.cpp
void induction(course::Step& step);

}  // namespace gradwalk::lessons
