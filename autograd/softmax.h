#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Softmax along one axis; values and errors as in tensor/softmax.h.
///
///   y_i = exp(x_i - m) / sum_j exp(x_j - m),   m = max_j x_j
///
/// Gradient   dx = y * (dy - sum(dy * y, axis)); zero for a fully masked row
/// Source     Goodfellow, Bengio, Courville 2016, section 4.1
Variable softmax(const Variable& x, int axis);

/// The logarithm of softmax, in nats; values and errors as in tensor/softmax.h.
///
///   y_i = x_i - m - log sum_j exp(x_j - m),   m = max_j x_j
///
/// Gradient   dx = dy - exp(y) * sum(dy, axis); zero for a fully masked row
/// Source     Goodfellow, Bengio, Courville 2016, sections 4.1 and 6.2.2.3
Variable log_softmax(const Variable& x, int axis);

}  // namespace gradwalk
