#pragma once

#include "lessons/course/step.h"

/// The step of this lesson that stands in a file of its own.
namespace gradwalk::lessons {

void only_the_loss(course::Step& step);  ///< loss_step.cpp

}  // namespace gradwalk::lessons
