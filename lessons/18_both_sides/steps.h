#pragma once

#include "lessons/course/step.h"

/// The later steps of lesson 18.
namespace gradwalk::lessons {

void kept_in_balance(course::Step& step);   ///< balance_step.cpp
void parts_held_still(course::Step& step);  ///< held_step.cpp
void old_with_new(course::Step& step);      ///< pairs_step.cpp: claim A10
void without_need(course::Step& step);      ///< condition_steps.cpp, as the next two
void without_own_keys(course::Step& step);
void without_competition(course::Step& step);
void all_three(course::Step& step);  ///< three_conditions.cpp: claim A11

}  // namespace gradwalk::lessons
