#pragma once

#include <cstddef>
#include <vector>

#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"

/// Heads beside what is lost without them.
namespace gradwalk::lesson_20 {

/// Puts `more` behind `all`.
void append(std::vector<double>& all, const std::vector<double>& more);

/// One number a head, models one after the other.
struct CutHeads {
  std::vector<double> gap;        ///< mean cosine of numbers - nouns
  std::vector<double> ratio;      ///< mean weight of a number / of a noun
  std::vector<double> on_answer;  ///< mean weight on the token that holds the answer
  std::vector<double> drop;       ///< share right that is lost when the head's weights are even
  std::vector<double> right;      ///< of each model as a whole

  void add(const tasks::ClsModel& model, const tasks::NumberTask& task,
           const tasks::NumberBatch& texts);
};

/// Mean of `values` over the quarter `at` (0, ..., 3) of them, in ascending order of `by`.
/// @throws std::invalid_argument for another quarter, fewer than four values or other lengths
double in_quarter(const std::vector<double>& values, const std::vector<double>& by, std::size_t at);

}  // namespace gradwalk::lesson_20
