#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 8 in order, one a file.
namespace gradwalk::lesson_08 {

void four_words(course::Step& step);

/// The gradient to a word that is far away, and models that must name it: claim B2.
void far_word(course::Step& step);

/// What it costs that every word meets every other: claim B3.
void all_pairs(course::Step& step);

}  // namespace gradwalk::lesson_08
