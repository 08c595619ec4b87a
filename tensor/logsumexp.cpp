#include "tensor/logsumexp.h"

#include "tensor/detail/dispatch.h"
#include "tensor/detail/reduction.h"
#include "tensor/kernels/logsumexp.h"

namespace gradwalk {

Tensor logsumexp(const Tensor& x) { return logsumexp(x, every_axis(x)); }
Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction("logsumexp", x, axes, keepdims);
  return visit_float("logsumexp", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("logsumexp", r.shape, x.dtype());
    kernels::logsumexp(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

Tensor logsumexp_backward(const Tensor& x, const Tensor& dy, const Axes& axes) {
  constexpr const char* kOp = "logsumexp_backward";
  const Reduction from = reduction(kOp, x, axes);
  const Tensor upstream = upstream_per_slice(kOp, x, dy, from);
  return visit_float(kOp, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor dx(kOp, x.shape(), x.dtype());
    const Reduction to = reduction(kOp, dx, axes);
    kernels::logsumexp_backward(from.plan, x.data<T>(), upstream.data<T>(), to.plan,
                                dx.mutable_data<T>());
    return dx;
  });
}

}  // namespace gradwalk
