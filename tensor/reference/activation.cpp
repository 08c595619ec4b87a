#include "tensor/reference/activation.h"

#include <cmath>

#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

const double kPi = std::acos(-1.0);

template <class F>
Tensor each(const Tensor& x, F f) {
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

double logistic(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

double normal_distribution(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }

// The exponent 2 u of the tanh form.
double gelu_exponent(double x) { return 2 * std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x); }

// The derivatives of x Phi(x), of its tanh form and of x logistic(x). At infinities they have the
// limits 0 and 1, where the formula would say infinity times 0.
double gelu_erf_slope(double x) {
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  return normal_distribution(x) + x * normal_density(x);
}

double gelu_tanh_slope(double x) {
  const double exponent = gelu_exponent(x);
  if (std::isinf(exponent)) return x < 0 ? 0 : 1;
  const double s = logistic(exponent);
  const double exponent_slope = 2 * std::sqrt(2 / kPi) * (1 + 3 * 0.044715 * x * x);
  return s + x * s * logistic(-exponent) * exponent_slope;
}

double silu_slope(double x) {
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  return logistic(x) + x * logistic(x) * logistic(-x);
}

}  // namespace

Tensor tanh(const Tensor& x) {
  return each(x, [](double p) { return std::tanh(p); });
}
Tensor sigmoid(const Tensor& x) { return each(x, logistic); }
Tensor relu(const Tensor& x) {
  return each(x, [](double p) { return p < 0 ? 0 : p; });
}
Tensor gelu(const Tensor& x, GeluForm form) {
  return each(x, [form](double p) {
    if (std::isinf(p)) return p < 0 ? 0 : p;
    return form == GeluForm::kErf ? p * normal_distribution(p) : p * logistic(gelu_exponent(p));
  });
}
Tensor silu(const Tensor& x) {
  return each(x, [](double p) {
    if (std::isinf(p)) return p < 0 ? 0 : p;
    return p * logistic(p);
  });
}
Tensor softplus(const Tensor& x) {
  return each(
      x, [](double p) { return p > 0 ? p + std::log1p(std::exp(-p)) : std::log1p(std::exp(p)); });
}

Tensor tanh_backward(const Tensor& y, const Tensor& dy) {
  return times_slope(y, dy, [](double p) { return 1 - p * p; });
}
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy) {
  return times_slope(y, dy, [](double p) { return p * (1 - p); });
}
Tensor relu_backward(const Tensor& y, const Tensor& dy) {
  const std::vector<double> at = values(y);
  std::vector<double> dx = values(dy);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (at[i] <= 0) dx[i] = 0;
    if (std::isnan(at[i])) dx[i] = at[i];
  }
  return from_vector(dx, y.shape(), y.dtype());
}
Tensor gelu_backward(const Tensor& x, const Tensor& dy, GeluForm form) {
  return times_slope(x, dy, form == GeluForm::kErf ? gelu_erf_slope : gelu_tanh_slope);
}
Tensor silu_backward(const Tensor& x, const Tensor& dy) { return times_slope(x, dy, silu_slope); }
Tensor softplus_backward(const Tensor& x, const Tensor& dy) { return times_slope(x, dy, logistic); }

}  // namespace gradwalk::reference
