#pragma once

#include "lessons/course/step.h"

/// The steps of lesson 21.
namespace gradwalk::lessons {

void what_can_be_added(course::Step& step);     ///< losses_step.cpp
void until_it_looks(course::Step& step);        ///< speed_step.cpp: claim A22
void one_head_two_answers(course::Step& step);  ///< joint_step.cpp: claim A23
void geometry_alone(course::Step& step);        ///< geometry_step.cpp: claim A24

}  // namespace gradwalk::lessons
