#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/dictionary.h"

namespace gradwalk::lesson_05 {

/// One way to train the dictionary model of lesson 1, with normalised inputs, so that queries and
/// keys begin with variance 1.
struct Recipe {
  tasks::Optimizer optimizer = tasks::Optimizer::kAdam;
  double lr = 3e-3;  ///< no unit
  std::int64_t d_k = 64;
  int updates = 600;  ///< at most: a run ends once it has learned (0.1 nats)

  std::string name() const;  ///< "Adam 0.003, d_k 64"
  auto operator<=>(const Recipe&) const = default;
};

/// What one run left.
struct Run {
  std::vector<double> losses;   ///< before each update, in nats
  int reached = 0;              ///< the update by which 0.7 nats were reached; 0: never
  double max_weight_first = 0;  ///< largest weight of the question, mean over test pages: at first
  double max_weight_last = 0;   ///< and at the end
  bool finite = true;           ///< no loss was NaN or infinite
  /// Highest loss from the tenth update on, as a multiple of the first.
  double highest = 0;
};

/// Trains, or gives the run back if it was made before. Progress is told by `told`.
const Run& dictionary_run(const course::Step& step, const Recipe& recipe, bool scaled,
                          std::int64_t seed, const std::function<void(int)>& told);

/// A model that has learned with the factor loses it.
struct Removal {
  double loss_before, loss_after;              ///< on test pages, nats
  double max_weight_before, max_weight_after;  ///< of the question
  double highest;                     ///< loss of a batch in 200 more updates without it, nats
  double loss_last, max_weight_last;  ///< after them
};
Removal remove_scale(const course::Step& step, const Recipe& recipe, std::int64_t seed);

}  // namespace gradwalk::lesson_05
