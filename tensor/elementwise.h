#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Elementwise arithmetic. a and b broadcast: aligned at the last axis, size 1 stretches (NumPy's
/// rule).
///
/// @return  the broadcast shape, the operands' dtype
/// @throws  ShapeError if the shapes do not broadcast; std::invalid_argument if the dtypes differ,
///          for bool, and in `div` for int64
/// @note    Floats follow IEEE 754: x / 0 is an infinity, 0 / 0 is NaN. int64 wraps around.
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);

/// -x. float32, float64, int64.
Tensor neg(const Tensor& x);
/// e^x, log x (natural, in nats), the square root. float32, float64; log and sqrt of a negative
/// number are NaN, log 0 is -inf.
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);

/// The same with operators. A number takes the tensor's dtype.
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(double a, const Tensor& b);

}  // namespace gradwalk
