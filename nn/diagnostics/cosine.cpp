#include "nn/diagnostics/cosine.h"

#include <algorithm>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

// Vectors of length 1; a zero vector stays zero. Each is divided by its own length: the product of
// two small lengths would underflow.
Tensor unit(const Tensor& x) {
  const Tensor lengths = length(x);
  std::vector<double> divisors = lengths.to_vector();
  std::replace(divisors.begin(), divisors.end(), 0.0, 1.0);
  return div(x, unsqueeze(from_vector(divisors, lengths.shape(), x.dtype()), -1));
}

}  // namespace

Tensor length(const Tensor& x) { return sqrt(sum(mul(x, x), /*axes=*/-1)); }

Tensor cosine(const Tensor& a, const Tensor& b) {
  const Tensor dots = sum(mul(unit(a), unit(b)), /*axes=*/-1);
  std::vector<double> cosines = dots.to_vector();
  for (double& value : cosines) value = std::clamp(value, -1.0, 1.0);
  return from_vector(cosines, dots.shape(), dots.dtype());
}

}  // namespace gradwalk::nn
