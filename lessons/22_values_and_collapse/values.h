#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_22 {

/// Whose values are changed.
enum class Changed { kNumbers, kNouns };

/// Tables [V, D] that values are made of in place of a model's embeddings; keys stay as they are.
struct ValueTables {
  Tensor alike;     ///< the changed tokens all have the mean of their rows
  Tensor shuffled;  ///< each has the row of the one 5 further on
  Tensor none;      ///< their rows are 0
};
ValueTables value_tables(const tasks::ClsModel& model, const tasks::NumberTask& task,
                         Changed changed);

/// A trained model on test texts, changed without any further training.
struct ValueScores {
  double trained;                ///< share answered right, nothing changed
  double alike, shuffled, none;  ///< with those values
  double even;                   ///< with uniform weights
  double even_alike;             ///< with both
  double on_answer_alike;        ///< weight on the largest number while values are alike
};
ValueScores value_scores(const tasks::ClsModel& model, const tasks::NumberTask& task,
                         const tasks::NumberBatch& texts, Changed changed);

/// One of them over models.
course::Spread over(const std::vector<ValueScores>& models, double ValueScores::*what);

/// Mean weight that [CLS] puts on all numbers together, by the answer: one entry an answer, NaN
/// where no text has it.
std::vector<double> weight_by_answer(const tasks::ClsModel& model, const tasks::NumberTask& task,
                                     const tasks::NumberBatch& texts);

}  // namespace gradwalk::lesson_22
