#pragma once

#include <cstdint>
#include <memory>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/training.h"

/// The models of lesson 20: [CLS] names the largest number of a text, through heads of some shape.
namespace gradwalk::lesson_20 {

enum class HeadShape {
  kNarrow,  ///< one head of width 8; embeddings have 16
  kSquare,  ///< one of width 16, as wide as embeddings
  kFour     ///< four of width 4, side by side as wide as embeddings
};

tasks::NumberTraining training_with(HeadShape shape, std::int64_t updates);

/// Model `model` of `models`, after the step's `updates`; the same in all steps.
std::unique_ptr<tasks::ClsModel> model_with(course::Step& step, HeadShape shape, std::int64_t model,
                                            std::int64_t models);
/// The same as it begins.
std::unique_ptr<tasks::ClsModel> begun_with(const course::Step& step, HeadShape shape,
                                            std::int64_t model);

/// Texts that model `model` was not trained on.
tasks::NumberBatch texts_for(const course::Step& step, HeadShape shape, std::int64_t model,
                             std::int64_t texts);

}  // namespace gradwalk::lesson_20
