#pragma once

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

/// The naive loops of tensor/minmax.h.
namespace gradwalk::reference {
namespace detail {

template <class F>
Tensor each_unless_nan(const Tensor& x, F f) {
  std::vector<double> y = values(x);
  for (double& element : y) element = std::isnan(element) ? kNan : f(element);
  return from_vector(y, x.shape(), x.dtype());
}

template <class F>
Tensor pairs_unless_nan(const Tensor& a, const Tensor& b, F f) {
  const Shape shape = broadcast_shapes("minmax", a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  std::vector<double> y = values(expand(b, shape));
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::isnan(p[i]) || std::isnan(y[i]) ? kNan : f(p[i], y[i]);
  }
  return from_vector(y, shape, a.dtype());
}

/// A bound as the dtype of x rounds it.
inline double rounded_bound(double bound, DType dtype) {
  return dtype == DType::kFloat32 ? static_cast<double>(static_cast<float>(bound)) : bound;
}

}  // namespace detail

inline Tensor abs(const Tensor& x) {
  return detail::each_unless_nan(x, [](double p) { return p < 0 ? -p : p; });
}
inline Tensor maximum(const Tensor& a, const Tensor& b) {
  return detail::pairs_unless_nan(a, b, [](double p, double q) { return p > q ? p : q; });
}
inline Tensor minimum(const Tensor& a, const Tensor& b) {
  return detail::pairs_unless_nan(a, b, [](double p, double q) { return p < q ? p : q; });
}
inline Tensor clip(const Tensor& x, double low, double high) {
  const double from = detail::rounded_bound(low, x.dtype());
  const double to = detail::rounded_bound(high, x.dtype());
  return detail::each_unless_nan(x, [=](double p) { return p < from ? from : p > to ? to : p; });
}

inline Tensor abs_backward(const Tensor& x, const Tensor& dy) {
  return detail::pairs_unless_nan(x, dy, [](double p, double g) {
    if (p == 0) return 0.0;
    return p > 0 ? g : -g;
  });
}
inline Tensor maximum_backward(const Tensor& a, const Tensor& b, const Tensor& dy) {
  const std::vector<double> p = values(expand(a, dy.shape()));
  const std::vector<double> q = values(expand(b, dy.shape()));
  std::vector<double> da = values(dy);
  for (std::size_t i = 0; i < da.size(); ++i) {
    if (p[i] < q[i]) da[i] = 0;
    if (p[i] == q[i]) da[i] /= 2;
    if (std::isnan(p[i]) || std::isnan(q[i])) da[i] = detail::kNan;
  }
  return from_vector(da, dy.shape(), dy.dtype());
}
inline Tensor clip_backward(const Tensor& x, const Tensor& dy, double low, double high) {
  const double from = detail::rounded_bound(low, x.dtype());
  const double to = detail::rounded_bound(high, x.dtype());
  const std::vector<double> p = values(x);
  std::vector<double> dx = values(dy);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (p[i] < from || p[i] > to) dx[i] = 0;
    if (std::isnan(p[i])) dx[i] = detail::kNan;
  }
  return from_vector(dx, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
