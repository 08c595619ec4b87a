#pragma once

#include "lessons/course/step.h"

/// The steps of this lesson on models that learn a language, in language_steps.cpp.
namespace gradwalk::lessons {

void alike_at_first(course::Step& step);
void take_heads_away(course::Step& step);

}  // namespace gradwalk::lessons
