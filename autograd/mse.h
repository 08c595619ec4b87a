#pragma once

#include "autograd/variable.h"
#include "tensor/mse.h"

namespace gradwalk {

/// Squared error, its mean over all elements or its sum; values and errors as in tensor/mse.h.
///
///   mean: loss = 1/n sum_i (prediction_i - target_i)^2      sum: the same without 1/n
///
/// Gradient   dprediction = dy 2 (prediction - target) / n (for a sum: / 1), dtarget = -dprediction
/// Source     Goodfellow, Bengio, Courville 2016, section 5.1.4, eq. 5.4
Variable mse(const Variable& prediction, const Variable& target,
             LossReduction reduction = LossReduction::kMean);

}  // namespace gradwalk
