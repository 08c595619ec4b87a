#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 20 in order, one a file.
namespace gradwalk::lesson_20 {

void one_head_measured(course::Step& step);
void script_as_written(course::Step& step);
void pulled_or_inverted(course::Step& step);
void push_and_watch(course::Step& step);
void gap_and_influence(course::Step& step);
void layer_by_layer(course::Step& step);

}  // namespace gradwalk::lesson_20
