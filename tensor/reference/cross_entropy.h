#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// The mean over rows of log sum_j exp(x_j - m) + m - x_t.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets);

/// dy (softmax(x)_j - (j == t)) / number of rows.
Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy);

}  // namespace gradwalk::reference
