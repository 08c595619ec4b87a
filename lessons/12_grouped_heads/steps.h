#pragma once

#include "lessons/course/step.h"

/// The steps of this lesson after the first: on what sharing saves in cost_steps.cpp, on what it
/// leaves as it is in structure_step.cpp and on what it takes from a model in quality_step.cpp.
namespace gradwalk::lessons {

void parameters_and_work(course::Step& step);
void cache_size(course::Step& step);
void reading(course::Step& step);
void structure(course::Step& step);
void quality(course::Step& step);

}  // namespace gradwalk::lessons
