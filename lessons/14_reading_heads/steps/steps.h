#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 14 in order, one a file.
namespace gradwalk::lesson_14 {

void loud_values(course::Step& step);
void another_basis(course::Step& step);
void trained_bases(course::Step& step);
void queries_like_keys(course::Step& step);
void sharp_and_healthy(course::Step& step);
void silent_word(course::Step& step);
void weight_or_effect(course::Step& step);
void looked_at(course::Step& step);

}  // namespace gradwalk::lesson_14
