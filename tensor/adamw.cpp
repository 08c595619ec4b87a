#include "tensor/adamw.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/inplace.h"
#include "tensor/kernels/adamw.h"

namespace gradwalk {
namespace {

constexpr const char* kAdamwStep = "adamw_step";

void check_like_param(const Tensor& param, const char* which, const Tensor& x) {
  check_defined(kAdamwStep, x);
  check_same_dtype(kAdamwStep, "param", param, which, x);
  check_shape_of(kAdamwStep, "param", param, which, x);
}

void check_state(const Tensor& param, const char* which, const Tensor& x) {
  check_like_param(param, which, x);
  if (!x.is_contiguous()) {
    throw_argument_error(kAdamwStep, fmt::format("a contiguous {}", which), "a strided view",
                         {{"param", param.shape()}, {which, x.shape()}});
  }
}

void check_own_places(const Tensor& param) {
  if (param.numel() == 0) return;
  if (const int axis = expanded_axis(param); axis >= 0) {
    throw_shape_error(kAdamwStep, "a param whose elements have a place each",
                      fmt::format("an expanded view, stride 0 at axis {}", axis),
                      {{"param", param.shape()}});
  }
}

}  // namespace

void check_options(const char* op, const AdamWOptions& options) {
  check_setting(op, "lr", options.lr, HUGE_VAL);
  check_setting(op, "beta1", options.beta1, 1);
  check_setting(op, "beta2", options.beta2, 1);
  check_setting(op, "eps", options.eps, HUGE_VAL);
  check_setting(op, "weight_decay", options.weight_decay, HUGE_VAL);
}

void adamw_step(Tensor param, const Tensor& grad, Tensor m, Tensor v, std::int64_t step,
                const AdamWOptions& options) {
  check_defined(kAdamwStep, param);
  check_options(kAdamwStep, options);
  if (step < 1) throw_argument_error(kAdamwStep, "step >= 1", fmt::format("{}", step));
  check_like_param(param, "grad", grad);
  check_state(param, "m", m);
  check_state(param, "v", v);
  check_own_places(param);
  visit_float(kAdamwStep, param, [&](auto zero) {
    using T = decltype(zero);
    const auto steps = static_cast<double>(step);
    const kernels::AdamWNumbers numbers{options.lr,
                                        options.beta1,
                                        options.beta2,
                                        options.eps,
                                        options.weight_decay,
                                        1 - std::pow(options.beta1, steps),
                                        1 - std::pow(options.beta2, steps)};
    const Tensor g = contiguous(grad);
    Tensor w = contiguous(param);
    kernels::adamw(w.numel(), numbers, g.data<T>(), w.mutable_data<T>(), m.mutable_data<T>(),
                   v.mutable_data<T>());
    if (w.storage().get() != param.storage().get()) copy_into(param, w);
  });
}

}  // namespace gradwalk
