#include "tensor/cumsum.h"

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/cumsum.h"

namespace gradwalk {
namespace {

Tensor added_up(const char* op, const Tensor& x, int axis, bool reversed) {
  check_defined(op, x);
  axis = normalize_axis(op, axis, x.shape());
  return visit_number(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, x.shape(), x.dtype());
    if (x.numel() == 0) return y;
    const Tensor rows = contiguous(x);
    kernels::cumsum(x.shape(), axis, reversed, rows.data<T>(), y.mutable_data<T>());
    return y;
  });
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis) { return added_up("cumsum", x, axis, /*reversed=*/false); }

Tensor cumsum_backward(const Tensor& dy, int axis) {
  return added_up("cumsum_backward", dy, axis, /*reversed=*/true);
}

}  // namespace gradwalk
