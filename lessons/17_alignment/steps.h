#pragma once

#include "lessons/course/step.h"

/// The later steps of lesson 17.
namespace gradwalk::lessons {

void keys_before_and_after(course::Step& step);  ///< headline.cpp: claim A9
void largest_is_picked(course::Step& step);      ///< largest.cpp: claim A15
void three_phases(course::Step& step);           ///< phase_step.cpp: claim A21
void without_attention(course::Step& step);      ///< forced.cpp: claim A8
void first_gradient(course::Step& step);         ///< push_step.cpp: claim A32

}  // namespace gradwalk::lessons
