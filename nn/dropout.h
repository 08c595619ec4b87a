#pragma once

#include "nn/module.h"
#include "nn/seed.h"

namespace gradwalk::nn {

/// In training each element is 0 with probability p, the others grow by 1 / (1 - p); else x itself.
/// With p = 1 all are 0, and so is the gradient.
/// The stream of random numbers goes on from call to call.
///
/// No parameters; the generator is `generator`.
/// Source  Srivastava et al. 2014
class Dropout : public Module {
 public:
  /// @throws std::invalid_argument unless 0 <= p <= 1
  Dropout(double p, const Seed& seed);
  Variable operator()(const Variable& x);

 private:
  double p_;
  Generator generator_;
};

}  // namespace gradwalk::nn
