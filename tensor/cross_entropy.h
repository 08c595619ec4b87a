#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Mean negative log-likelihood of the targets, straight from the logits.
///
///   loss = mean_b ( log sum_j exp(x_bj) - x_b,t_b )   in nats; the log-sum is shifted by the row's
///   maximum
///
/// @param logits   [..., V], float, V >= 1
/// @param targets  int64 class ids in [0, V), the shape of logits without its last axis
/// @return         a 0-d tensor; the mean over no targets is 0
/// @throws ShapeError if the shapes do not fit; std::out_of_range for an id outside [0, V);
/// std::invalid_argument for dtypes Source          Goodfellow, Bengio, Courville 2016,
/// section 6.2.2.3
Tensor cross_entropy(const Tensor& logits, const Tensor& targets);

/// The gradient of cross_entropy with respect to the logits: dx_bj = dy (softmax(x_b)_j - (j ==
/// t_b)) / number of targets.
///
/// @param dy  gradient of what follows with respect to the loss, 0-d
Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy);

}  // namespace gradwalk
