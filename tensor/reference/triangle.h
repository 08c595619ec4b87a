#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// x_ij where j <= i + diagonal (tril) or j >= i + diagonal (triu), else 0.
Tensor tril(const Tensor& x, std::int64_t diagonal);
Tensor triu(const Tensor& x, std::int64_t diagonal);

}  // namespace gradwalk::reference
