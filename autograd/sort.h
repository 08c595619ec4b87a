#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// As Sorted in tensor/sort.h; the gradient goes through the values, indices have none.
struct SortedVariable {
  Variable values;
  Tensor indices;  ///< int64. Kept for backward: clone it before writing into it
};

/// Elements in order; order, ties, NaN, shapes and errors as in tensor/sort.h.
///
/// Gradient   each dy put back to where its element stood, 0 for elements that topk left out
SortedVariable sort(const Variable& x, int axis = -1, bool descending = false);
SortedVariable topk(const Variable& x, std::int64_t k, int axis = -1, bool largest = true);

}  // namespace gradwalk
