#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Kullback-Leibler divergence along the last axis: what it costs to expect q where p is true, such
/// as a model's prediction before and after something in it was cut out.
///
///   KL(p, q) = sum_i p_i ln(p_i / q_i),   0 ln 0 = 0
///
/// @param p, q  [..., N], float, one shape and dtype, rows that sum to 1 (this is not checked);
///              computed in float64
/// @return      the shape without the last axis, in nats: 0 for equal rows, infinite where q is 0
///              and p is not. NaN for a NaN or a negative number
/// @throws ShapeError if the shapes differ or are 0-d; std::invalid_argument for dtypes
/// Source  Kullback and Leibler 1951, eq. 2.4
Tensor kl_divergence(const Tensor& p, const Tensor& q);

/// Total variation along the last axis: the share of weight that has to move to make one
/// distribution of the other.
///
///   TV(p, q) = sum_i |p_i - q_i| / 2
///
/// @return  as kl_divergence, but in [0, 1] without unit: 1 where nothing is in common
/// @throws  likewise
Tensor total_variation(const Tensor& p, const Tensor& q);

}  // namespace gradwalk::nn
