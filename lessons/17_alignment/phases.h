#pragma once

#include <vector>

#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_17 {

/// A stretch of a training: updates begin, ..., end - 1. NaN where there are none.
struct Phase {
  int begin, end;
  double gradient;   ///< |dL/dW_Q|, mean
  double turn;       ///< of the query, degrees an update, mean
  double on_answer;  ///< weight on the answer, mean of its last 5 updates
  double gap;        ///< of the cosines, likewise
};

/// Cut where the mean of 5 losses falls below nine tenths of the first loss, and below one tenth of
/// it.
struct Phases {
  Phase early, middle, late;
};
Phases phases_of(const tasks::NumberCurves& curves);

/// Each number's mean over the trainings that have the phase; begin and end are rounded.
struct MeanPhase {
  Phase phase;
  int trainings;  ///< how many have it
};
MeanPhase mean_phase(const std::vector<Phases>& trainings, Phase Phases::*which);

}  // namespace gradwalk::lesson_17
