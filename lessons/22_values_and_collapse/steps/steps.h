#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 22 in order, one a file.
namespace gradwalk::lesson_22 {

void values_carry(course::Step& step);

/// Long texts, drawn in two ways: claim A27.
void long_texts(course::Step& step);

/// What shows that keys are not told apart: claim A28.
void what_shows_it(course::Step& step);

/// Two ways to repair it: claim A29.
void two_repairs(course::Step& step);

}  // namespace gradwalk::lesson_22
