#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 10 in order, one a file.
namespace gradwalk::lesson_10 {

void five_words(course::Step& step);
void same_words(course::Step& step);
void cost(course::Step& step);
void room(course::Step& step);
void size(course::Step& step);
void beside_parameters(course::Step& step);

}  // namespace gradwalk::lesson_10
