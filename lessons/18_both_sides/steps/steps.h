#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 18 in order, one a file.
namespace gradwalk::lesson_18 {

void two_ways_up(course::Step& step);
void kept_in_balance(course::Step& step);
void parts_held_still(course::Step& step);
void old_with_new(course::Step& step);
void without_need(course::Step& step);
void without_own_keys(course::Step& step);
void without_competition(course::Step& step);
void all_three(course::Step& step);

}  // namespace gradwalk::lesson_18
