#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// The parts behind each other along `axis` in [0, ndim).
Tensor concat(const std::vector<Tensor>& parts, int axis);
/// The parts beside each other along a new axis in [0, ndim].
Tensor stack(const std::vector<Tensor>& parts, int axis);

}  // namespace gradwalk::reference
