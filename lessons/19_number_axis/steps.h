#pragma once

#include "lessons/course/step.h"

/// The later steps of lesson 19.
namespace gradwalk::lessons {

void which_order(course::Step& step);     ///< A13, order_steps.cpp
void axis_or_cloud(course::Step& step);   ///< A14, order_steps.cpp
void seen_or_sorted(course::Step& step);  ///< A12, question_steps.cpp
void how_fine(course::Step& step);        ///< A16, question_steps.cpp

}  // namespace gradwalk::lessons
