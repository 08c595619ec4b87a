#include "tensor/moments.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/reduction.h"
#include "tensor/kernels/moments.h"

namespace gradwalk {
namespace {

void check_correction(const char* op, const Tensor& x, std::int64_t correction) {
  if (correction < 0) {
    throw_argument_error(op, "correction >= 0", fmt::format("{}", correction), {{"x", x.shape()}});
  }
}

// What both gradients share. `kernel` is called with both plans and all three operands.
template <class Kernel>
Tensor backward(const char* op, const Tensor& x, const Tensor& dy, const Axes& axes,
                Kernel kernel) {
  const Reduction from = reduction(op, x, axes);
  const Tensor upstream = upstream_per_slice(op, x, dy, from);
  return visit_float(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor dx(op, x.shape(), x.dtype());
    const Reduction to = reduction(op, dx, axes);
    kernel(from.plan, x.data<T>(), upstream.data<T>(), to.plan, dx.mutable_data<T>());
    return dx;
  });
}

}  // namespace

Tensor var(const Tensor& x) { return var(x, every_axis(x)); }
Tensor var(const Tensor& x, const Axes& axes, bool keepdims, std::int64_t correction) {
  const Reduction r = reduction("var", x, axes, keepdims);
  check_correction("var", x, correction);
  return visit_float("var", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("var", r.shape, x.dtype());
    kernels::var(r.plan, x.data<T>(), correction, y.mutable_data<T>());
    return y;
  });
}

Tensor var_backward(const Tensor& x, const Tensor& dy, const Axes& axes, std::int64_t correction) {
  check_defined("var_backward", x);
  check_correction("var_backward", x, correction);
  return backward(
      "var_backward", x, dy, axes,
      [correction](const auto& from, const auto* data, const auto* upstream, const auto& to,
                   auto* dx) { kernels::var_backward(from, data, upstream, correction, to, dx); });
}

Tensor norm(const Tensor& x) { return norm(x, every_axis(x)); }
Tensor norm(const Tensor& x, const Axes& axes, bool keepdims) {
  const Reduction r = reduction("norm", x, axes, keepdims);
  return visit_float("norm", x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("norm", r.shape, x.dtype());
    kernels::norm(r.plan, x.data<T>(), y.mutable_data<T>());
    return y;
  });
}

Tensor norm_backward(const Tensor& x, const Tensor& dy, const Axes& axes) {
  return backward("norm_backward", x, dy, axes,
                  [](auto... args) { kernels::norm_backward(args...); });
}

}  // namespace gradwalk
