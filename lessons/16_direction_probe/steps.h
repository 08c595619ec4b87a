#pragma once

#include "lessons/course/step.h"

/// The steps of lesson 16.
namespace gradwalk::lessons {

void two_keys(course::Step& step);           ///< lengths.cpp
void trained_query(course::Step& step);      ///< lengths.cpp
void row_of_cls(course::Step& step);         ///< rows.cpp
void beside_a_control(course::Step& step);   ///< bases.cpp
void matrices_compared(course::Step& step);  ///< matrices.cpp

}  // namespace gradwalk::lessons
