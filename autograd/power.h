#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Powers; values and errors as in tensor/power.h.
///
/// Gradient   pow(x, c): dx = dy c x^(c - 1); for c = 0 it is 0, whatever x is. At x = 0 that is 0
///            for c > 1, dy for c = 1 and infinite for c < 1. A negative x with a fraction in c
///            gives NaN, as the value does.
///            pow(a, b): da = dy b a^(b - 1), 0 where b = 0;   db = dy y log a, and
///            0 where a = 0 and b >= 0 (the limit from a > 0; at a = b = 0 by choice),
///            -inf where a = 0 and b < 0, NaN where a < 0: moving b off a whole number leaves the
///            real numbers. Each summed over the axes that broadcasting stretched.
/// Saved      x; a, b and y
Variable pow(const Variable& x, double exponent);
Variable pow(const Variable& a, const Variable& b);

}  // namespace gradwalk
