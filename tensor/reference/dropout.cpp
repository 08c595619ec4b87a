#include "tensor/reference/dropout.h"

#include "tensor/reference/values.h"

namespace gradwalk::reference {

Tensor dropout(const Tensor& x, double p, Generator& generator) {
  std::vector<double> y = values(x);
  for (double& element : y) {
    const double fraction = generator.next_u32() / 4294967296.0;
    element = fraction >= p ? element / (1 - p) : 0;
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
