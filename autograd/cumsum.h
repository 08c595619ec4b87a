#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Cumulative sum along one axis, y_i = x_0 + ... + x_i; shapes and errors as in tensor/cumsum.h.
///
/// Gradient   dx_i = dy_i + ... + dy_(n-1), the reversed cumulative sum of dy
Variable cumsum(const Variable& x, int axis);

}  // namespace gradwalk
