#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 2 in order, one a file.
namespace gradwalk::lesson_02 {

void shapes(course::Step& step);
void each_token_alone(course::Step& step);
void heads(course::Step& step);
void count(course::Step& step);
void division(course::Step& step);

}  // namespace gradwalk::lesson_02
