#pragma once

#include "lessons/course/engine/step.h"

/// The steps of lesson 12 in order, one a file.
namespace gradwalk::lesson_12 {

void three_layers(course::Step& step);
void parameters_and_work(course::Step& step);
void cache_size(course::Step& step);
void reading(course::Step& step);
void structure(course::Step& step);
void quality(course::Step& step);

}  // namespace gradwalk::lesson_12
