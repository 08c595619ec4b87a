#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// y_i = a_i where cond_i is true, else b_i; cond, a and b broadcast. Elements that are not taken
/// are not computed with: an infinity or a NaN among them leaves no trace.
///
/// @param cond  bool
/// @param a, b  one dtype, any
/// @return      the broadcast shape of all three, the dtype of a and b
/// @throws      ShapeError if the shapes do not broadcast; std::invalid_argument if cond is not
///              bool or the dtypes of a and b differ
Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b);
/// A number takes the dtype of the tensor beside it.
/// @throws std::invalid_argument for a number with a fraction beside int64
Tensor where(const Tensor& cond, const Tensor& a, double b);
Tensor where(const Tensor& cond, double a, const Tensor& b);

/// y_i = value where mask_i is true, else x_i: -inf on scores that may not be seen.
///
/// @param mask  bool, broadcasts to x's shape
/// @return      the shape and dtype of x
/// @throws      ShapeError unless mask broadcasts to exactly x's shape; std::invalid_argument if it
///              is not bool, or value has a fraction beside int64
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

}  // namespace gradwalk
