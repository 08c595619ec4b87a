#pragma once

#include "tensor/mse.h"

namespace gradwalk::reference {

/// The mean or sum of (prediction_i - target_i)^2; 0 over no elements.
Tensor mse(const Tensor& prediction, const Tensor& target, LossReduction reduction);

/// dy 2 (prediction_i - target_i), for the mean divided by the number of elements.
Tensor mse_backward(const Tensor& prediction, const Tensor& target, const Tensor& dy,
                    LossReduction reduction);

}  // namespace gradwalk::reference
