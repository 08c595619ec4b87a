#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/22_values_and_collapse/key_spread.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "tensor/tensor.h"

/// Scores of the numbers, and the training that several steps measure them on.
namespace gradwalk::lesson_22 {

/// A training of the step's length on texts of so many numbers.
tasks::NumberTraining training_on(course::Step& step, std::int64_t numbers, tasks::NumberDraw draw);

/// Records query, keys and logits of the numbers as q_name, K_name and z_name.
void record_scores(course::Step& step, const std::string& name, const KeySpread& measures,
                   const std::string& of);

/// z of the numbers less their mean: softmax does not see what all have in common.
std::vector<double> centred(const Tensor& z);

}  // namespace gradwalk::lesson_22
