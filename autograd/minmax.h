#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Choices between numbers; values and errors as in tensor/minmax.h.
///
/// Gradient   abs: dx = dy sign(x), 0 at x = 0
///            maximum: dy goes to the larger of a and b, minimum: to the smaller; where they are
///            equal each gets dy / 2. Summed over the axes that broadcasting stretched.
///            clip: dx = dy where low <= x <= high, the bounds included, else 0
///            Where an operand is NaN the gradients are NaN.
/// Saved      the operands
Variable abs(const Variable& x);
Variable maximum(const Variable& a, const Variable& b);
Variable minimum(const Variable& a, const Variable& b);
Variable clip(const Variable& x, double low, double high);

}  // namespace gradwalk
