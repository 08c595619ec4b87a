#pragma once

#include "tensor/sort.h"

namespace gradwalk::reference {

/// The first k of each slice along `axis` in [0, ndim), found one after the other: the best that is
/// left, and of equal ones the first. NaN counts as the largest.
Sorted topk(const Tensor& x, std::int64_t k, int axis, bool largest);

}  // namespace gradwalk::reference
