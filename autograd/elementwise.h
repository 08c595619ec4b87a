#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Elementwise arithmetic with broadcasting; values and errors as in tensor/elementwise.h. Each
/// gradient is summed over the axes that broadcasting stretched.
///
/// Gradient   add: da = dy, db = dy              sub: da = dy, db = -dy
///            mul: da = dy b, db = dy a          div: da = dy / b, db = -dy y / b
///            neg: dx = -dy                      exp: dx = dy y
///            log: dx = dy / x                   sqrt: dx = dy / (2 y)
Variable add(const Variable& a, const Variable& b);
Variable sub(const Variable& a, const Variable& b);
Variable mul(const Variable& a, const Variable& b);
Variable div(const Variable& a, const Variable& b);
Variable neg(const Variable& x);
Variable exp(const Variable& x);
Variable log(const Variable& x);
Variable sqrt(const Variable& x);

inline Variable operator+(const Variable& a, const Variable& b) { return add(a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return sub(a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return mul(a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return div(a, b); }
inline Variable operator-(const Variable& x) { return neg(x); }
/// A number is a constant of the variable's dtype.
Variable operator+(const Variable& a, double b);
Variable operator-(const Variable& a, double b);
Variable operator*(const Variable& a, double b);
Variable operator/(const Variable& a, double b);
Variable operator+(double a, const Variable& b);
Variable operator-(double a, const Variable& b);
Variable operator*(double a, const Variable& b);
Variable operator/(double a, const Variable& b);

}  // namespace gradwalk
