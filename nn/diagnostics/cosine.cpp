#include "nn/diagnostics/cosine.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

void check_cosine(const Tensor& a, const Tensor& b) {
  check_defined("cosine", a);
  check_defined("cosine", b);
  const Operand left{"a", a.shape()};
  const Operand right{"b", b.shape()};
  check_same_dtype("cosine", left, a.dtype(), right, b.dtype());
  if (!is_float(a.dtype())) {
    throw_argument_error("cosine", "float32 or float64", name(a.dtype()), {left, right});
  }
  if (a.ndim() == 0 || b.ndim() == 0) {
    throw_shape_error("cosine", "ndim >= 1 for a and b",
                      fmt::format("{} and {}", a.ndim(), b.ndim()), {left, right});
  }
  if (a.shape()[-1] != b.shape()[-1]) {  // size 1 does not stretch: it is another vector space
    throw_shape_error("cosine", "a.shape[-1] == b.shape[-1]",
                      fmt::format("{} and {}", a.shape()[-1], b.shape()[-1]), {left, right});
  }
  broadcast_shapes("cosine", a.shape(), b.shape());
}

// In float64, where the squares of float32 numbers neither vanish nor overflow.
Tensor wide_length(const Tensor& x) { return sqrt(sum(mul(x, x), /*axes=*/-1)); }

// Vectors of length 1; a zero vector stays zero. Each is divided by its own length: the product of
// two small lengths would underflow.
Tensor unit(const Tensor& x) {
  const Tensor lengths = wide_length(x);
  std::vector<double> divisors = lengths.to_vector();
  std::replace(divisors.begin(), divisors.end(), 0.0, 1.0);
  return div(x, unsqueeze(from_vector(divisors, lengths.shape(), DType::kFloat64), -1));
}

}  // namespace

Tensor length(const Tensor& x) {
  visit_float("length", x, [](auto) {});
  if (x.ndim() == 0) throw_shape_error("length", "ndim >= 1", "0", {{"x", x.shape()}});
  return to(wide_length(to(x, DType::kFloat64)), x.dtype());
}

Tensor cosine(const Tensor& a, const Tensor& b) {
  check_cosine(a, b);
  const Tensor dots =
      sum(mul(unit(to(a, DType::kFloat64)), unit(to(b, DType::kFloat64))), /*axes=*/-1);
  std::vector<double> cosines = dots.to_vector();
  for (double& value : cosines) value = std::clamp(value, -1.0, 1.0);
  return from_vector(cosines, dots.shape(), a.dtype());
}

}  // namespace gradwalk::nn
