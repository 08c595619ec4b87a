#include "tensor/layer_norm.h"

#include <cmath>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/optional_tensor.h"
#include "tensor/kernels/layer_norm.h"

namespace gradwalk {

LayerNormResult layer_norm_with_statistics(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                           double eps) {
  check_rows("layer_norm", x);
  check_features("layer_norm", x, "gamma", gamma);
  check_features("layer_norm", x, "beta", beta);
  check_setting("layer_norm", "eps", eps, HUGE_VAL, {{"x", x.shape()}});
  return visit_float("layer_norm", x, [&](auto zero) -> LayerNormResult {
    using T = decltype(zero);
    const Tensor rows = contiguous(x);
    const Tensor scale = contiguous_or_none(gamma);
    const Tensor shift = contiguous_or_none(beta);
    Tensor y("layer_norm", x.shape(), x.dtype());
    Tensor mean("layer_norm", row_shape(x.shape()), DType::kFloat64);
    Tensor rstd("layer_norm", row_shape(x.shape()), DType::kFloat64);
    kernels::layer_norm<T>({mean.numel(), x.shape()[-1], rows.data<T>(), data_or_null<T>(scale)},
                           data_or_null<T>(shift), eps, y.mutable_data<T>(),
                           mean.mutable_data<double>(), rstd.mutable_data<double>());
    return {y, mean, rstd};
  });
}

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  return layer_norm_with_statistics(x, gamma, beta, eps).y;
}

LayerNormGrads layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                   const Tensor& rstd, const Tensor& dy) {
  constexpr const char* kOp = "layer_norm_backward";
  check_rows(kOp, x);
  check_features(kOp, x, "gamma", gamma);
  check_statistic(kOp, x, "mean", mean);
  check_statistic(kOp, x, "rstd", rstd);
  check_upstream(kOp, x, dy);
  return visit_float(kOp, x, [&](auto zero) -> LayerNormGrads {
    using T = decltype(zero);
    const Tensor rows = contiguous(x);
    const Tensor scale = contiguous_or_none(gamma);
    const Tensor means = contiguous(mean);
    const Tensor rstds = contiguous(rstd);
    const Tensor upstream = contiguous(dy);
    const std::int64_t width = x.shape()[-1];
    Tensor dx(kOp, x.shape(), x.dtype());
    Tensor dgamma(kOp, {width}, x.dtype());
    Tensor dbeta(kOp, {width}, x.dtype());
    kernels::layer_norm_backward<T>({means.numel(), width, rows.data<T>(), data_or_null<T>(scale)},
                                    means.data<double>(), rstds.data<double>(), upstream.data<T>(),
                                    dx.mutable_data<T>(), dgamma.mutable_data<T>(),
                                    dbeta.mutable_data<T>());
    return {dx, dgamma, dbeta};
  });
}

}  // namespace gradwalk
