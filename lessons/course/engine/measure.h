#pragma once

#include <vector>

#include "tensor/tensor.h"

/// Sizes and distances of tensors, for checks and predicates. Computed in float64; a NaN stays
/// visible, so that no bound holds for it.
namespace gradwalk::course {

/// The largest |x_i|; 0 without elements.
double largest(const Tensor& x);

/// The largest |a_i - b_i|. @throws ShapeError as sub
double distance(const Tensor& a, const Tensor& b);

/// The largest |a_i - b_i| as a share of the largest |b_i|, no unit.
double relative_distance(const Tensor& a, const Tensor& b);

/// Of measurements over seeds.
struct Spread {
  double lowest;
  double mean;
  double highest;
};
/// @throws std::invalid_argument if there are no values
Spread spread_of(const std::vector<double>& values);

}  // namespace gradwalk::course
