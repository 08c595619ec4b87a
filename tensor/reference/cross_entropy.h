#pragma once

#include "tensor/cross_entropy.h"

namespace gradwalk::reference {

/// loss_b = sum_j q_bj (m + log sum_k exp(x_bk - m) - x_bj) with q_bj = (1 - e) (j == t_b) + e / V,
/// terms with q_bj = 0 left out; +inf in a row that is all -inf. Summed over the rows whose target
/// is not ignored, and for the mean divided by their number.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});

/// dy (softmax(x_b)_j - q_bj), for the mean divided by the number of rows that count; 0 in rows
/// that are ignored or all -inf.
Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                              const CrossEntropyOptions& options = {});

}  // namespace gradwalk::reference
