#pragma once

#include "tensor/tensor.h"

/// Whether tokens that should be told apart still are. No one of these tells alone: points that
/// never left each other are spread as evenly as points in good order.
namespace gradwalk::nn {

/// Share of the pairs i < j whose scores stand in order and apart: z_j - z_i > margin.
///
/// @param scores  [N], float, N >= 2, in the order that they should have: the logits of the numbers
///                0, 1, ..., N - 1
/// @param margin  in nats: at 1 the larger one gets more than e times the weight of the smaller
/// @return        in [0, 1]; 0 where all are equal. NaN where a score is NaN
/// @throws ShapeError unless scores are such a vector; std::invalid_argument for dtypes
double ordered_pairs(const Tensor& scores, double margin = 1);

/// Standard deviation of the first half of the scores relative to that of all: about 1/2 on an even
/// ladder, small where the low end is squeezed together.
///
/// @param scores  [N], float, N >= 4, in the order that they should have
/// @return        >= 0, no unit; 0 where all are equal. NaN where a score is NaN
/// @throws ShapeError unless scores are such a vector; std::invalid_argument for dtypes
double low_half_spread(const Tensor& scores);

/// Mean distance between the points of a group relative to their mean distance from others: small
/// where the group has become one point.
///
///   [mean_{i < j} |x_i - x_j|] / [mean_{i, k} |x_i - y_k|]
///
/// @param group   [N, D], float, N >= 2: the keys of the numbers
/// @param others  [M, D], group's dtype, M >= 1: those of other tokens; computed in float64
/// @return        >= 0, no unit; 0 where the group is one point. NaN stays visible
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes
double within_between_distance(const Tensor& group, const Tensor& others);

/// How many directions points spread over, weighed by how far.
///
///   exp(H(p)),   p_i = s_i / sum_j s_j over the singular values s of the points, about the origin
///
/// @param points  [N, D], float, finite; computed in float64
/// @return        in [1, min(N, D)]: 1 where all lie on one line through 0, min(N, D) where they
///                spread evenly over all directions; 0 where all are 0
/// @throws as svd
/// Source  Roy and Vetterli 2007, "The effective rank: a measure of effective dimensionality"
double effective_rank(const Tensor& points);

}  // namespace gradwalk::nn
