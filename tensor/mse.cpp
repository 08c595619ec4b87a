#include "tensor/mse.h"

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/mse.h"

namespace gradwalk {
namespace {

void check_mse(const char* op, const Tensor& prediction, const Tensor& target) {
  check_defined(op, prediction);
  check_defined(op, target);
  const Operand p{"prediction", prediction.shape()};
  const Operand t{"target", target.shape()};
  check_same_dtype(op, p, prediction.dtype(), t, target.dtype());
  check_float(op, prediction.dtype(), {p, t});
  if (prediction.shape() != target.shape()) {
    throw_shape_error(op, "prediction.shape == target.shape",
                      prediction.shape().str() + " and " + target.shape().str(), {p, t});
  }
}

// 1 for a sum, and for a mean over no elements, whose sum is 0 already.
double divisor(const Tensor& prediction, LossReduction reduction) {
  const bool divides = reduction == LossReduction::kMean && prediction.numel() > 0;
  return divides ? static_cast<double>(prediction.numel()) : 1;
}

}  // namespace

Tensor mse(const Tensor& prediction, const Tensor& target, LossReduction reduction) {
  check_mse("mse", prediction, target);
  return visit_float("mse", prediction, [&](auto zero) {
    using T = decltype(zero);
    const Tensor p = contiguous(prediction);
    const Tensor t = contiguous(target);
    const double total = kernels::squared_error(p.numel(), p.data<T>(), t.data<T>());
    return scalar(total / divisor(p, reduction), p.dtype());
  });
}

Tensor mse_backward(const Tensor& prediction, const Tensor& target, const Tensor& dy,
                    LossReduction reduction) {
  check_mse("mse_backward", prediction, target);
  check_defined("mse_backward", dy);
  const Operand of{"prediction", prediction.shape()};
  check_loss_gradient("mse_backward", dy, of, prediction.dtype(),
                      {of, {"target", target.shape()}, {"dy", dy.shape()}});
  return visit_float("mse_backward", prediction, [&](auto zero) {
    using T = decltype(zero);
    const Tensor p = contiguous(prediction);
    const Tensor t = contiguous(target);
    Tensor dx("mse_backward", p.shape(), p.dtype());
    kernels::squared_error_backward(p.numel(), p.data<T>(), t.data<T>(),
                                    dy.item() / divisor(p, reduction), dx.mutable_data<T>());
    return dx;
  });
}

}  // namespace gradwalk
