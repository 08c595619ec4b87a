#pragma once

#include <cstdint>
#include <vector>

#include "lessons/tasks/numbers/training.h"

/// How long trainings take.
namespace gradwalk::lesson_21 {

/// Updates until a measure is where it should be, one number a training. One that never gets there
/// counts with all its updates.
struct Arrival {
  std::vector<double> updates = {};
  std::int64_t never = 0;  ///< how many of them

  /// @param curve  one entry an update; judged are means of 5
  void add(const std::vector<double>& curve, double target);
  double mean() const;
};

/// Of several trainings of one kind.
struct Arrivals {
  Arrival on_answer;  ///< mean weight on the answer 0.7
  Arrival order;      ///< rho 0.9
  Arrival right;      ///< 0.95 of the answers right

  void add(const tasks::NumberCurves& curves);
};

/// How much earlier.
struct Speedup {
  double ratio;  ///< of the mean updates; below 1 is faster
  double p;      ///< Welch's, of ln(updates), since it is a ratio that is asked for
  bool all;      ///< all that should be faster have arrived
  /// Faster by 15 %, and not by chance.
  bool holds() const { return all && ratio < 0.85 && p < 0.01; }
};
/// @throws std::invalid_argument for fewer than two trainings of either kind
Speedup speedup(const Arrival& pressed, const Arrival& plain);

}  // namespace gradwalk::lesson_21
