#pragma once

#include <string>

#include "lessons/22_values_and_collapse/looks.h"
#include "lessons/course/lesson.h"

namespace gradwalk::lessons {

/// Long texts, drawn in two ways: claim A27.
void long_texts(course::Step& step);

/// What shows that keys are not told apart: claim A28.
void what_shows_it(course::Step& step);

/// Two ways to repair it: claim A29.
void two_repairs(course::Step& step);

/// A training of the step's length on texts of so many numbers.
course::NumberTraining training_on(course::Step& step, std::int64_t numbers,
                                   course::NumberDraw draw);

/// Records query, keys and logits of the numbers as q_name, K_name and z_name.
void record_scores(course::Step& step, const std::string& name, const KeySpread& look,
                   const std::string& of);

/// z of the numbers less their mean: softmax does not see what all have in common.
std::vector<double> centred(const Tensor& z);

}  // namespace gradwalk::lessons
