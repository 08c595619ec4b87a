#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 13 in order, one a file.
namespace gradwalk::lesson_13 {

void movement(course::Step& step);
void heads(course::Step& step);
void induction(course::Step& step);

}  // namespace gradwalk::lesson_13
