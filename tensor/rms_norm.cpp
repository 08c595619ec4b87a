#include "tensor/rms_norm.h"

#include <cmath>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/optional_tensor.h"
#include "tensor/kernels/rms_norm.h"

namespace gradwalk {

RmsNormResult rms_norm_with_statistics(const Tensor& x, const Tensor& gamma, double eps) {
  check_rows("rms_norm", x);
  check_features("rms_norm", x, "gamma", gamma);
  check_setting("rms_norm", "eps", eps, HUGE_VAL, {{"x", x.shape()}});
  return visit_float("rms_norm", x, [&](auto zero) -> RmsNormResult {
    using T = decltype(zero);
    const Tensor rows = contiguous(x);
    const Tensor scale = contiguous_or_none(gamma);
    Tensor y("rms_norm", x.shape(), x.dtype());
    Tensor rrms("rms_norm", row_shape(x.shape()), DType::kFloat64);
    kernels::rms_norm(rrms.numel(), x.shape()[-1], rows.data<T>(), data_or_null<T>(scale), eps,
                      y.mutable_data<T>(), rrms.mutable_data<double>());
    return {y, rrms};
  });
}

Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps) {
  return rms_norm_with_statistics(x, gamma, eps).y;
}

RmsNormGrads rms_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& rrms,
                               const Tensor& dy) {
  constexpr const char* kOp = "rms_norm_backward";
  check_rows(kOp, x);
  check_features(kOp, x, "gamma", gamma);
  check_statistic(kOp, x, "rrms", rrms);
  check_upstream(kOp, x, dy);
  return visit_float(kOp, x, [&](auto zero) -> RmsNormGrads {
    using T = decltype(zero);
    const Tensor rows = contiguous(x);
    const Tensor scale = contiguous_or_none(gamma);
    const Tensor rrmss = contiguous(rrms);
    const Tensor upstream = contiguous(dy);
    const std::int64_t width = x.shape()[-1];
    Tensor dx(kOp, x.shape(), x.dtype());
    Tensor dgamma(kOp, {width}, x.dtype());
    kernels::rms_norm_backward(rrmss.numel(), width, rows.data<T>(), data_or_null<T>(scale),
                               rrmss.data<double>(), upstream.data<T>(), dx.mutable_data<T>(),
                               dgamma.mutable_data<T>());
    return {dx, dgamma};
  });
}

}  // namespace gradwalk
