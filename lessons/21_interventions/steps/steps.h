#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 21 in order, one a file.
namespace gradwalk::lesson_21 {

void what_can_be_added(course::Step& step);
void until_it_looks(course::Step& step);
void one_head_two_answers(course::Step& step);
void geometry_alone(course::Step& step);

}  // namespace gradwalk::lesson_21
