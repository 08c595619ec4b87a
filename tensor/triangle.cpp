#include "tensor/triangle.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/triangle.h"

namespace gradwalk {
namespace {

Tensor triangle(const char* op, const Tensor& x, std::int64_t diagonal, kernels::Side side) {
  check_defined(op, x);
  check_ndim(op, "x", x, 2);
  // Past the corners nothing changes any more, and i + diagonal must not overflow.
  diagonal = std::clamp(diagonal, -x.shape()[-2] - 1, x.shape()[-1] + 1);
  Tensor y(op, x.shape(), x.dtype());
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels::triangle(x.shape(), x.strides(), x.data<T>(), side, diagonal, y.mutable_data<T>());
  });
  return y;
}

}  // namespace

Tensor tril(const Tensor& x, std::int64_t diagonal) {
  return triangle("tril", x, diagonal, kernels::Side::kLower);
}
Tensor triu(const Tensor& x, std::int64_t diagonal) {
  return triangle("triu", x, diagonal, kernels::Side::kUpper);
}

}  // namespace gradwalk
