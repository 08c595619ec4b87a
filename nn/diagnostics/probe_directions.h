#pragma once

#include <cstdint>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Directions to push the inputs of keys along, to see whether a query depends on them. All are
/// unit vectors of model space, so that what they do can be compared: a push moves a logit by
///
///   q.(W_K step) scale = (W_K^T q).step scale
///
/// and by nothing else.
struct ProbeDirections {
  Tensor along;       ///< [D], of W_K^T q: up it raises logits, down it lowers them, most of all
  Tensor random;      ///< [count, D], uniform on the sphere: the control of equal length
  Tensor orthogonal;  ///< [count, D], those without their part along W_K^T q: no logit moves
};

/// @param query     [Dh], float, not zero
/// @param k_weight  [Dh, D], query's dtype, D >= 2: as for pull_back (pull_back.h)
/// @param count     >= 1
/// @return          in query's dtype, computed in float64
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes, a count below 1
/// and where W_K^T q is 0 or not finite
ProbeDirections probe_directions(const Tensor& query, const Tensor& k_weight, std::int64_t count,
                                 Generator& generator);

}  // namespace gradwalk::nn
