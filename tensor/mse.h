#pragma once

#include "tensor/loss_reduction.h"
#include "tensor/tensor.h"

namespace gradwalk {

/// Squared error, its mean over all elements or its sum.
///
///   mean: loss = 1/n sum_i (prediction_i - target_i)^2      sum: the same without 1/n
///
/// @param prediction  float, any shape
/// @param target      the same shape and dtype: nothing is stretched, since [B, 1] against [B]
///                    would quietly compare each prediction with each target
/// @return            a 0-d tensor in the square of the unit; the mean over no elements is 0
/// @throws ShapeError if the shapes differ; std::invalid_argument for dtypes
/// Source  Goodfellow, Bengio, Courville 2016, section 5.1.4, eq. 5.4
Tensor mse(const Tensor& prediction, const Tensor& target,
           LossReduction reduction = LossReduction::kMean);

/// The gradient of mse with respect to the prediction: dy 2 (prediction - target) / n, for a sum
/// without 1/n. The one with respect to the target is its negative.
///
/// @param dy  gradient of what follows with respect to the loss, 0-d
Tensor mse_backward(const Tensor& prediction, const Tensor& target, const Tensor& dy,
                    LossReduction reduction = LossReduction::kMean);

}  // namespace gradwalk
