#pragma once

#include <cmath>
#include <numbers>

#include "tensor/activation.h"
#include "tensor/reference/values.h"

/// The naive loops of tensor/activation.h.
namespace gradwalk::reference {
namespace detail {

inline constexpr double kPi = std::numbers::pi;

template <class F>
Tensor activate(const Tensor& x, F f) {
  std::vector<double> y = values(x);
  for (double& element : y) element = f(element);
  return from_vector(y, x.shape(), x.dtype());
}

template <class F>
Tensor times_slope(const Tensor& x, const Tensor& dy, F slope) {
  const std::vector<double> at = values(x);
  std::vector<double> dx = values(dy);
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dx[i] * slope(at[i]);
  return from_vector(dx, x.shape(), x.dtype());
}

inline double logistic(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

inline double normal_distribution(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }

/// The exponent 2 u of the tanh form.
inline double gelu_exponent(double x) {
  return 2 * std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x);
}

/// The derivatives of x Phi(x), of its tanh form and of x logistic(x). At infinities they have the
/// limits 0 and 1, where the formula would say infinity times 0.
inline double gelu_erf_slope(double x) {
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  return normal_distribution(x) + x * normal_density(x);
}

inline double gelu_tanh_slope(double x) {
  const double exponent = gelu_exponent(x);
  if (std::isinf(exponent)) return x < 0 ? 0 : 1;
  const double s = logistic(exponent);
  const double exponent_slope = 2 * std::sqrt(2 / kPi) * (1 + 3 * 0.044715 * x * x);
  return s + x * s * logistic(-exponent) * exponent_slope;
}

inline double silu_slope(double x) {
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  return logistic(x) + x * logistic(x) * logistic(-x);
}

}  // namespace detail

inline Tensor tanh(const Tensor& x) {
  return detail::activate(x, [](double p) { return std::tanh(p); });
}
inline Tensor sigmoid(const Tensor& x) { return detail::activate(x, detail::logistic); }
inline Tensor relu(const Tensor& x) {
  return detail::activate(x, [](double p) { return p < 0 ? 0 : p; });
}
inline Tensor gelu(const Tensor& x, GeluForm form = GeluForm::kErf) {
  return detail::activate(x, [form](double p) {
    if (std::isinf(p)) return p < 0 ? 0 : p;
    return form == GeluForm::kErf ? p * detail::normal_distribution(p)
                                  : p * detail::logistic(detail::gelu_exponent(p));
  });
}
inline Tensor silu(const Tensor& x) {
  return detail::activate(x, [](double p) {
    if (std::isinf(p)) return p < 0 ? 0 : p;
    return p * detail::logistic(p);
  });
}
inline Tensor softplus(const Tensor& x) {
  return detail::activate(
      x, [](double p) { return p > 0 ? p + std::log1p(std::exp(-p)) : std::log1p(std::exp(p)); });
}

inline Tensor tanh_backward(const Tensor& y, const Tensor& dy) {
  return detail::times_slope(y, dy, [](double p) { return 1 - p * p; });
}
inline Tensor sigmoid_backward(const Tensor& y, const Tensor& dy) {
  return detail::times_slope(y, dy, [](double p) { return p * (1 - p); });
}
inline Tensor relu_backward(const Tensor& y, const Tensor& dy) {
  const std::vector<double> at = values(y);
  std::vector<double> dx = values(dy);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (at[i] <= 0) dx[i] = 0;
    if (std::isnan(at[i])) dx[i] = at[i];
  }
  return from_vector(dx, y.shape(), y.dtype());
}
inline Tensor gelu_backward(const Tensor& x, const Tensor& dy, GeluForm form = GeluForm::kErf) {
  return detail::times_slope(
      x, dy, form == GeluForm::kErf ? detail::gelu_erf_slope : detail::gelu_tanh_slope);
}
inline Tensor silu_backward(const Tensor& x, const Tensor& dy) {
  return detail::times_slope(x, dy, detail::silu_slope);
}
inline Tensor softplus_backward(const Tensor& x, const Tensor& dy) {
  return detail::times_slope(x, dy, detail::logistic);
}

}  // namespace gradwalk::reference
