#pragma once

#include "lessons/course/step.h"

/// The later steps of lesson 5.
namespace gradwalk::lessons {

/// softmax_steps.cpp: what becomes of a softmax
void divide(course::Step& step);
void saturation(course::Step& step);

/// layer_steps.cpp: a layer's heads, and the end of float32
void which_root(course::Step& step);
void never_zero(course::Step& step);

/// training_step.cpp
void without_scale(course::Step& step);

}  // namespace gradwalk::lessons
