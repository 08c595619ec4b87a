#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/course/cls_model.h"
#include "lessons/course/number_task.h"
#include "lessons/course/number_training.h"
#include "lessons/course/step.h"

/// What single texts and the keys of single models look like.
namespace gradwalk::lessons {

/// "[CLS]", "7" for a number, "n3" for a noun.
std::vector<std::string> token_names(const Tensor& ids, const course::NumberTask& task);

/// One test text of a lesson's seed.
course::NumberBatch one_text(const course::Step& step, const course::NumberTask& task);

/// Records how [CLS] reads it: q, K, z, w, V, o, with their recipes, and a picture of z and w.
void record_text(course::Step& step, const course::ClsModel& model, const course::NumberTask& task);

/// Records queries, keys and cosines of model 0 after each of so many updates (ascending), and
/// draws the keys, and the cosines of the first and the last.
void record_keys(course::Step& step, course::NumberTraining training,
                 const std::vector<std::int64_t>& updates);

}  // namespace gradwalk::lessons
