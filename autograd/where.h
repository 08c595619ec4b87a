#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Choices by a mask; values and errors as in tensor/where.h. A number and the mask are constants.
///
/// Gradient   where: da = dy where cond, else 0; db = dy where not cond, else 0; each summed over
///            the axes that broadcasting stretched
///            masked_fill: dx = 0 where mask, else dy
///            The zeros are put there and do not come from a product, so an infinity or a NaN in
///            the branch that was not taken does not reach a gradient.
/// Saved      the mask
Variable where(const Tensor& cond, const Variable& a, const Variable& b);
Variable where(const Tensor& cond, const Variable& a, double b);
Variable where(const Tensor& cond, double a, const Variable& b);
Variable masked_fill(const Variable& x, const Tensor& mask, double value);

}  // namespace gradwalk
