#include "tensor/sort.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/reduction.h"
#include "tensor/kernels/sort.h"

namespace gradwalk {
namespace {

// The first k of each slice along `axis`, which is in [0, ndim).
Sorted sorted(const char* op, const Tensor& x, int axis, bool descending, std::int64_t k) {
  Shape shape = x.shape();
  shape.set(axis, k);
  const Reduction from = reduction(op, x, axis);
  return visit_number(op, x, [&](auto zero) {
    using T = decltype(zero);
    Sorted y{Tensor(op, shape, x.dtype()), Tensor(op, shape, DType::kInt64)};
    const Reduction to = reduction(op, y.values, axis);
    kernels::sort(from.plan, x.data<T>(), descending, to.plan, y.values.mutable_data<T>(),
                  y.indices.mutable_data<std::int64_t>());
    return y;
  });
}

}  // namespace

Sorted sort(const Tensor& x, int axis, bool descending) {
  check_defined("sort", x);
  axis = normalize_axis("sort", axis, x.shape());
  return sorted("sort", x, axis, descending, x.shape()[axis]);
}

Sorted topk(const Tensor& x, std::int64_t k, int axis, bool largest) {
  check_defined("topk", x);
  axis = normalize_axis("topk", axis, x.shape());
  if (k < 0 || k > x.shape()[axis]) {
    throw_shape_error("topk",
                      fmt::format("k in [0, {}], the size of axis {}", x.shape()[axis], axis),
                      fmt::format("{}", k), {{"x", x.shape()}});
  }
  return sorted("topk", x, axis, /*descending=*/largest, k);
}

}  // namespace gradwalk
