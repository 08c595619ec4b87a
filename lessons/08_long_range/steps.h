#pragma once

#include "lessons/course/lesson.h"

namespace gradwalk::lessons {

/// The gradient to a word that is far away, and models that must name it: claim B2.
void far_word(course::Step& step);

/// What it costs that every word meets every other: claim B3.
void all_pairs(course::Step& step);

}  // namespace gradwalk::lessons
