#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Powers, element by element: float32, float64, any shape and strides. As in IEEE 754: a^0 and 1^b
/// are 1 (also beside NaN), 0^b is inf for b < 0, a negative base with a fraction in the exponent
/// is NaN.
///
/// @throws std::invalid_argument for other dtypes and if the dtypes differ; ShapeError if the
///         shapes do not broadcast

/// x^exponent, the shape and dtype of x. The exponent stays a float64 beside float32 (1 / 3. is not
/// rounded), and the square is one multiplication.
Tensor pow(const Tensor& x, double exponent);

/// a^b; a and b broadcast.
Tensor pow(const Tensor& a, const Tensor& b);

}  // namespace gradwalk
