#pragma once

#include "lessons/course/step.h"

/// The steps of this lesson that stand in files of their own.
namespace gradwalk::lessons {

// What cosines of queries and keys say: basis_steps.cpp
void another_basis(course::Step& step);
void trained_bases(course::Step& step);
void queries_like_keys(course::Step& step);

// What weights say: weight_steps.cpp
void silent_word(course::Step& step);
void weight_or_effect(course::Step& step);
void looked_at(course::Step& step);

}  // namespace gradwalk::lessons
