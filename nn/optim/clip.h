#pragma once

#include <vector>

#include "autograd/variable.h"

namespace gradwalk::nn {

/// Makes gradients that are too long together shorter, all by one factor:
///
///   norm = sqrt(sum over all parameters of |grad|^2),   grad <- grad min(1, max_norm / norm)
///
/// @param parameters  those without a gradient are passed over
/// @param max_norm    > 0
/// @return            the norm before; NaN or infinite if a gradient is, and then nothing is scaled
/// @throws std::invalid_argument unless max_norm is positive
/// Source  Pascanu, Mikolov, Bengio 2013, algorithm 1
double clip_grad_norm(const std::vector<Variable>& parameters, double max_norm);

}  // namespace gradwalk::nn
