#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 17 in order, one a file.
namespace gradwalk::lesson_17 {

void a_text(course::Step& step);
void keys_before_and_after(course::Step& step);
void largest_is_picked(course::Step& step);
void three_phases(course::Step& step);
void without_attention(course::Step& step);
void first_gradient(course::Step& step);

}  // namespace gradwalk::lesson_17
