#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "nn/module.h"

namespace gradwalk::tasks {

/// Single losses of small batches are noisy; what is judged is the mean of so many in a row.
constexpr int kLossWindow = 20;

enum class Optimizer {
  kAdam,  ///< AdamW without decay
  kSgd    ///< plain gradient descent
};

struct Training {
  int updates = 400;
  double lr = 3e-3;  ///< no unit
  Optimizer optimizer = Optimizer::kAdam;
  /// Ends earlier, once the mean of kLossWindow losses is below it.
  double until = -std::numeric_limits<double>::infinity();
  /// Is told the number of updates so far after each.
  std::function<void(int)> progress = {};
};

/// Descends on a loss that is drawn anew for each update.
/// @param parameters  those of the model that move
/// @return  the loss before each update, in its unit
std::vector<double> train(const nn::Module& model, const std::vector<Variable>& parameters,
                          const Training& training, const std::function<Variable()>& loss);

/// Means of `window` losses in a row, one for each loss and the ones before it; the first are of
/// fewer.
std::vector<double> moving_mean(const std::vector<double>& losses, int window = kLossWindow);

/// The first update, counted from 1, after which the mean of `window` losses is below `target`; 0
/// if there is none.
int steps_below(const std::vector<double>& losses, double target, int window = kLossWindow);

}  // namespace gradwalk::tasks
