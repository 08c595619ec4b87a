#pragma once

#include <functional>
#include <vector>

#include "nn/module.h"

namespace gradwalk::course {

struct Training {
  int updates = 400;
  double lr = 3e-3;  ///< of Adam, no unit
  /// Is told the number of updates so far after each.
  std::function<void(int)> progress = {};
};

/// Descends by Adam (AdamW without decay) on a loss that is drawn anew for each update.
/// @param parameters  those of the model that move
/// @return  the loss before each update, in its unit
std::vector<double> train(const nn::Module& model, const std::vector<Variable>& parameters,
                          const Training& training, const std::function<Variable()>& loss);

}  // namespace gradwalk::course
