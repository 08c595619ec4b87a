#pragma once

#include <vector>

#include "autograd/variable.h"

namespace gradwalk::nn {

/// Gradient descent, with momentum if asked for; all parameters at once from gradients taken at the
/// old values:
///
///   v <- momentum v + dw (from v = 0),   w <- w - lr v;   without momentum w <- w - lr dw
///
/// Source  Polyak 1964, in the form of Sutskever et al. 2013, eq. 1 and 2, with lr outside of v
class Sgd {
 public:
  /// @param parameters  leaves made by `parameter`, each once
  /// @param lr          learning rate, no unit; > 0
  /// @param momentum    share of the last step that is kept, in [0, 1)
  /// @throws std::invalid_argument for a learning rate that is not positive and finite, a momentum
  /// out of its range, a variable that needs no gradient or is no leaf, or one that is listed twice
  /// (it would move twice)
  Sgd(std::vector<Variable> parameters, double lr, double momentum = 0);

  /// Moves each parameter that has a gradient, in place.
  void step();
  /// Forgets all gradients.
  void zero_grad();

 private:
  std::vector<Variable> parameters_;
  std::vector<Tensor> velocities_;  // undefined before the first step
  double lr_;
  double momentum_;
};

}  // namespace gradwalk::nn
