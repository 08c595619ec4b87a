#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Mean negative log-likelihood of the targets in nats; values and errors as in
/// tensor/cross_entropy.h.
///
/// @param logits   [..., V]
/// @param targets  int64 class ids, the shape of logits without its last axis
///
/// Gradient   dx_bj = dy (softmax(x_b)_j - (j == t_b)) / number of targets
Variable cross_entropy(const Variable& logits, const Tensor& targets);

}  // namespace gradwalk
