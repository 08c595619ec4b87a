#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Share of the answers that get the largest logit.
///
/// @param logits  [..., V]
/// @param answer  int64 [...]
/// @return        in [0, 1]; NaN if there are none. Of equal logits the first one counts
/// @throws ShapeError unless the shapes fit; std::invalid_argument for an undefined tensor, logits
/// that are not float and answers that are not int64
double accuracy(const Tensor& logits, const Tensor& answer);

}  // namespace gradwalk::nn
