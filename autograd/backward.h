#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Reverse-mode differentiation: adds d loss / d leaf to the gradient of every leaf that `loss` was
/// made from.
///
/// Each op's rule runs once, after all of its consumers, so that its incoming gradient is complete;
/// gradients that meet are added here and nowhere else. The graph is walked with explicit lists:
/// its depth needs no stack. Afterwards rules and saved values are released, and a second call on
/// the same graph is an error.
///
/// @param loss  one element
/// @throws std::invalid_argument for an undefined loss or dy; ShapeError if loss has more elements
///         than one; std::logic_error if nothing in it needs a gradient, if the graph was used
///         before, if a saved value was changed in place, or if a rule returned a wrong count or
///         shape. On an error every gradient is as it was.
/// Source  Griewank and Walther 2008, section 3.2
void backward(const Variable& loss);

/// The same for any result, with the gradient that comes from beyond it.
///
/// @param dy  gradient of the loss with respect to y, of y's shape and dtype
void backward(const Variable& y, const Tensor& dy);

}  // namespace gradwalk
