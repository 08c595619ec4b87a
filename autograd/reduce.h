#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Reductions; axes, shapes and errors as in tensor/reduce.h.
///
/// Gradient   sum: dx = dy on every summed element     mean: dx = dy / number of elements
///            max, min: dx = dy / ties for the elements that are equal to the result (NaN to NaN),
///            0 for the others: the parts add up to dy
Variable sum(const Variable& x);
Variable sum(const Variable& x, const Axes& axes, bool keepdims = false);
Variable mean(const Variable& x);
Variable mean(const Variable& x, const Axes& axes, bool keepdims = false);
Variable max(const Variable& x);
Variable max(const Variable& x, const Axes& axes, bool keepdims = false);
Variable min(const Variable& x);
Variable min(const Variable& x, const Axes& axes, bool keepdims = false);

}  // namespace gradwalk
