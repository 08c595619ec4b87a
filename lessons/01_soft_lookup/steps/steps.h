#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 1 in order, one a file.
namespace gradwalk::lesson_01 {

void blend(course::Step& step);
void dot_products(course::Step& step);
void competition(course::Step& step);
void temperature(course::Step& step);
void rows_and_columns(course::Step& step);
void four_lines(course::Step& step);
void learned(course::Step& step);

}  // namespace gradwalk::lesson_01
