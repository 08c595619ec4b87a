#pragma once

#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/step.h"

/// The steps of lesson 4 in order, one a file.
namespace gradwalk::lesson_04 {

void projections(course::Step& step, Walk& walk);
void weights(course::Step& step, Walk& walk);
void loss(course::Step& step, Walk& walk);
void output_gradient(course::Step& step, Walk& walk);
void score_gradient(course::Step& step, Walk& walk);
void weight_gradient(course::Step& step, Walk& walk);
void one_step(course::Step& step, Walk& walk);
void fifty_steps(course::Step& step, Walk& walk);
void variants(course::Step& step, Walk& walk);

}  // namespace gradwalk::lesson_04
