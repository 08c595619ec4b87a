#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 3 in order, one a file.
namespace gradwalk::lesson_03 {

void one_knob(course::Step& step);
void all_knobs(course::Step& step);
void relay(course::Step& step);
void only_the_loss(course::Step& step);

}  // namespace gradwalk::lesson_03
