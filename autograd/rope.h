#pragma once

#include "autograd/variable.h"
#include "tensor/rope.h"

namespace gradwalk {

/// Rotary position embedding; values, layouts and errors as in tensor/rope.h.
///
/// @param x          [..., T, D], D even
/// @param positions  [T], int64; or `start`, the position of the first row
///
/// Gradient   dx is dy turned back, by the negative angles
/// Source     Su et al. 2021 (RoFormer), equation 34
Variable rope(const Variable& x, const Tensor& positions, const RopeOptions& options = {});
Variable rope(const Variable& x, std::int64_t start = 0, const RopeOptions& options = {});

}  // namespace gradwalk
