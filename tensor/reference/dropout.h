#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// x_i / (1 - p) where the generator's next word, as a fraction in [0, 1), is at least p; else 0.
Tensor dropout(const Tensor& x, double p, Generator& generator);

}  // namespace gradwalk::reference
