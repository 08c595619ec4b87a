#pragma once

#include <vector>

#include "autograd/variable.h"

namespace gradwalk::nn {

/// Plain gradient descent: w <- w - lr dw, all parameters at once from gradients taken at the old
/// values.
class Sgd {
 public:
  /// @param parameters  leaves made by `parameter`, each once
  /// @param lr          learning rate, no unit; > 0
  /// @throws std::invalid_argument for a learning rate that is not positive and finite, a variable
  /// that needs no gradient or is no leaf, or one that is listed twice (it would move twice)
  Sgd(std::vector<Variable> parameters, double lr);

  /// Moves each parameter that has a gradient, in place.
  void step();
  /// Forgets all gradients.
  void zero_grad();

 private:
  std::vector<Variable> parameters_;
  double lr_;
};

}  // namespace gradwalk::nn
