#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Sum and mean over all elements or over `axes`; values and errors as in tensor/reduce.h.
///
/// Gradient   sum: every element of x gets the dy of the place it was summed into; mean: that, over
/// the number of elements
Variable sum(const Variable& x);
Variable sum(const Variable& x, const Axes& axes, bool keepdims = false);
Variable mean(const Variable& x);
Variable mean(const Variable& x, const Axes& axes, bool keepdims = false);

}  // namespace gradwalk
