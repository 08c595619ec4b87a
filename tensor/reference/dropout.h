#pragma once

#include "tensor/random.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// x_i / (1 - p) where the generator's next word, as a fraction in [0, 1), is at least p; else 0.
inline Tensor dropout(const Tensor& x, double p, Generator& generator) {
  std::vector<double> y = values(x);
  for (double& element : y) {
    const double fraction = generator.next_u32() / 4294967296.0;
    element = fraction >= p ? element / (1 - p) : 0;
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
