#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

/// What single texts and the keys of single models look like.
namespace gradwalk::lesson_17 {

/// "[CLS]", "7" for a number, "n3" for a noun.
std::vector<std::string> token_names(const Tensor& ids, const tasks::NumberTask& task);

/// One test text of a lesson's seed.
tasks::NumberBatch one_text(const course::Step& step, const tasks::NumberTask& task);

/// Records how [CLS] reads it: q, K, z, w, V, o, with their recipes, and a picture of z and w.
void record_text(course::Step& step, const tasks::ClsModel& model, const tasks::NumberTask& task);

/// Records queries, keys and cosines of model 0 after each of so many updates (ascending), and
/// draws the keys, and the cosines of the first and the last.
void record_keys(course::Step& step, tasks::NumberTraining training,
                 const std::vector<std::int64_t>& updates);

}  // namespace gradwalk::lesson_17
