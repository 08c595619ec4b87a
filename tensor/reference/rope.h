#pragma once

#include "tensor/rope.h"

namespace gradwalk::reference {

/// Each pair times its 2 x 2 rotation matrix, in float64. x [..., T, D], positions [T].
Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options);

}  // namespace gradwalk::reference
