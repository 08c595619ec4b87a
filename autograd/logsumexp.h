#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Logarithm of a sum of exponentials; axes, shapes, edge cases and errors as in
/// tensor/logsumexp.h.
///
///   y = log sum_i exp(x_i)     in nats
///
/// Gradient   dx_i = dy exp(x_i - y), dy times the softmax of x; zero where all are -inf
/// Source     Goodfellow, Bengio, Courville 2016, section 4.1
Variable logsumexp(const Variable& x);
Variable logsumexp(const Variable& x, const Axes& axes, bool keepdims = false);

}  // namespace gradwalk
