#pragma once

#include "tensor/tensor.h"

/// Freedom of basis: a head's queries and keys may be written in any basis of its space, and its
/// scores do not change.
namespace gradwalk::tasks {

/// (R^-1)^T, float64. @throws ShapeError unless r is square; std::invalid_argument where it has no
/// inverse, going by its singular values: the smallest is below 1e-12 of the largest
Tensor inverse_transpose(const Tensor& r);

/// One head's rows of `q_proj.weight` and `k_proj.weight`, [Dh, D] each.
struct QueryKey {
  Tensor query;
  Tensor key;
};

/// The same head in another basis. q' = R q and k' = R^-T k, so q'.k' = q^T R^T R^-T k = q.k.
/// @param r  [Dh, Dh], invertible
/// @return   in the weights' dtype, computed in float64
QueryKey in_basis(const QueryKey& head, const Tensor& r);

/// diag(t, 1, ..., 1), float64: one axis is stretched for queries and shrunk for keys.
Tensor stretched_axis(std::int64_t width, double t);

}  // namespace gradwalk::tasks
