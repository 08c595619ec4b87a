#pragma once

#include <string>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/task.h"
#include "tensor/tensor.h"

namespace gradwalk::tasks {

/// Draws keys, or values, in the plane of their first two principal components: numbers as what
/// they are worth, coloured by their rank in the task, nouns as dots; for kNounMax nouns as their
/// place in the vocabulary, and numbers as dots. Axes are those of numbers and nouns together, in
/// the keys' unit; the caption gets the share of the variance that they show.
///
/// @param keys  [V, Dh], a row a token of the vocabulary; [CLS] is left out
void draw_keys(course::Step& step, const std::string& caption, const Tensor& keys,
               const NumberTask& task);

}  // namespace gradwalk::tasks
