#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk {

/// Sets elements to 0 at random and scales the rest, so that the mean stays (inverted dropout).
///
///   y_i = x_i / (1 - p) if kept, else 0;   x_i is kept if u_i / 2^32 >= p
///
/// where u_i are 32-bit words of the generator, one an element, drawn in row-major order whatever
/// the strides: one block of elements gives the same mask as its parts one after the other.
///
/// @param x         float, any shape
/// @param p         probability that an element is dropped, in [0, 1]
/// @param training  false: evaluation
/// @return          the shape and dtype of x. In evaluation and for p = 0 it is x itself: nothing
///                  is copied and nothing drawn
/// @throws std::invalid_argument for a p outside [0, 1], in evaluation too, and for dtypes. The
///         generator then stands where it stood
/// @note    A dropped NaN or infinity is 0, as with `where`; a kept one stays. p = 1 gives zeros.
/// Gradient dx_i = dy_i / (1 - p) where x_i was kept, else 0: the same function of dy, from a
///          generator in the same state. So there is no dropout_backward, and no mask is saved.
/// Source   Srivastava et al. 2014, section 10
Tensor dropout(const Tensor& x, double p, Generator& generator, bool training);

}  // namespace gradwalk
