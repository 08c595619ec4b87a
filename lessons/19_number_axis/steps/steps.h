#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 19 in order, one a file.
namespace gradwalk::lesson_19 {

void sixteen_numbers(course::Step& step);
void which_order(course::Step& step);
void axis_or_cloud(course::Step& step);
void seen_or_sorted(course::Step& step);
void how_fine(course::Step& step);

}  // namespace gradwalk::lesson_19
