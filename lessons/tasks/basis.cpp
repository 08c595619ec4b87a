#include "lessons/tasks/basis.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/matmul.h"

namespace gradwalk::tasks {

Tensor inverse_transpose(const Tensor& r) {
  if (r.ndim() != 2 || r.shape()[0] != r.shape()[1]) {
    throw_shape_error("inverse_transpose", "r [N, N]", r.shape().str(), {{"r", r.shape()}});
  }
  const Svd parts = svd(to(r, DType::kFloat64));
  const double largest = parts.s.at({0}), smallest = parts.s.at({r.shape()[0] - 1});
  if (!(smallest > 1e-12 * largest)) {
    throw std::invalid_argument(
        fmt::format("inverse_transpose: expected an invertible r, got singular values from {} to "
                    "{}",
                    smallest, largest));
  }
  return matmul(parts.u / parts.s, parts.vt);  // r = u s vt, so (r^-1)^T = u s^-1 vt
}

QueryKey in_basis(const QueryKey& head, const Tensor& r) {
  const auto map = [](const Tensor& by, const Tensor& weight) {
    return to(matmul(to(by, DType::kFloat64), to(weight, DType::kFloat64)), weight.dtype());
  };
  return {map(r, head.query), map(inverse_transpose(r), head.key)};
}

Tensor stretched_axis(std::int64_t width, double t) {
  Tensor r = eye(width, DType::kFloat64);
  fill(slice(slice(r, 0, 0, 1), 1, 0, 1), t);
  return r;
}

}  // namespace gradwalk::tasks
