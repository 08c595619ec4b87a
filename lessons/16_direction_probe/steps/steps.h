#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 16 in order, one a file.
namespace gradwalk::lesson_16 {

void two_keys(course::Step& step);
void trained_query(course::Step& step);
void row_of_cls(course::Step& step);
void beside_a_control(course::Step& step);
void matrices_compared(course::Step& step);

}  // namespace gradwalk::lesson_16
