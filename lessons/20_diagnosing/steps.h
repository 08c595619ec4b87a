#pragma once

#include <string>
#include <vector>

#include "lessons/course/step.h"

/// The steps of lesson 20.
namespace gradwalk::lessons {

void one_head_measured(course::Step& step);   ///< one_head_step.cpp
void script_as_written(course::Step& step);   ///< A30, script_step.cpp
void pulled_or_inverted(course::Step& step);  ///< A19, maps_step.cpp
void push_and_watch(course::Step& step);      ///< A20, push_step.cpp
void gap_and_influence(course::Step& step);   ///< A31, influence_step.cpp
void layer_by_layer(course::Step& step);      ///< A17, layers_step.cpp

}  // namespace gradwalk::lessons
