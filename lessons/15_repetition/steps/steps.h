#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 15 in order, one a file.
namespace gradwalk::lesson_15 {

void last_word(course::Step& step);
void temperature(course::Step& step);
void attention_temperature(course::Step& step);
void entropy(course::Step& step);

}  // namespace gradwalk::lesson_15
