#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 9 in order, one a file.
namespace gradwalk::lesson_09 {

void four_words(course::Step& step);
void place(course::Step& step);
void at_once_or_word_by_word(course::Step& step);
void leak(course::Step& step);
void whole_maps(course::Step& step);

}  // namespace gradwalk::lesson_09
