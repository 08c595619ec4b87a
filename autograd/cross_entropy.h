#pragma once

#include "autograd/variable.h"
#include "tensor/cross_entropy.h"

namespace gradwalk {

/// Negative log-likelihood of the targets in nats, the mean over those that count or their sum;
/// options, values and errors as in tensor/cross_entropy.h.
///
///   loss_b = -sum_j q_bj log softmax(x_b)_j,   q_bj = (1 - e) (j == t_b) + e / V
///
/// @param logits   [..., V]
/// @param targets  int64 class ids or ignore_index, the shape of logits without its last axis
///
/// Gradient   dx_bj = dy (softmax(x_b)_j - q_bj) / number of targets that count (for a sum: / 1);
///            zero in rows that are ignored or fully masked
/// Source     Goodfellow, Bengio, Courville 2016, section 6.2.2.3; Szegedy et al. 2016, section 7
Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options = {});

}  // namespace gradwalk
