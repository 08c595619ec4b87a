#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"

/// Which way the loss pushes a query.
namespace gradwalk::lesson_17 {

/// [Dh]: the mean key of the numbers less that of the nouns.
Tensor toward_numbers(const tasks::ClsModel& model, const tasks::NumberTask& task);

/// cos(-dL/dq, toward_numbers): 1 if descent pushes the query straight towards the numbers' keys,
/// -1 straight away from them.
double gradient_to_numbers(const tasks::ClsModel& model, const tasks::NumberBatch& texts,
                           const tasks::NumberTask& task);

/// Of models before any training, and of their twins, whose W_V has the other sign.
struct InitialGradients {
  std::vector<double> of_starts;
  std::vector<double> of_twins;
};
InitialGradients initial_gradients(const course::Step& step, const tasks::NumberTask& task,
                                   std::int64_t starts);

/// Of models of which the values and what reads them have been trained for so many updates, and
/// embeddings, W_Q and W_K have not.
std::vector<double> gradient_with_values(const course::Step& step, const tasks::NumberTask& task,
                                         std::int64_t models, std::int64_t updates);

/// Share of the numbers that are above 0.
double share_positive(const std::vector<double>& values);

}  // namespace gradwalk::lesson_17
