#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 5 in order, one a file.
namespace gradwalk::lesson_05 {

void mean_and_variance(course::Step& step);
void how_large(course::Step& step);
void divide(course::Step& step);
void saturation(course::Step& step);
void which_root(course::Step& step);
void without_scale(course::Step& step);
void never_zero(course::Step& step);

}  // namespace gradwalk::lesson_05
