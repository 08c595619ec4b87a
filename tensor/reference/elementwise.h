#pragma once

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

/// The naive loops: plain loops over the elements, computed in float64 and rounded once at the end.
/// They say what an op means; tests hold the kernels to them, and benchmarks compare with them. No
/// code is shared with the kernels.
namespace gradwalk::reference {
namespace detail {

template <class F>
Tensor map_pairs(const char* op, const Tensor& a, const Tensor& b, F f) {
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  const std::vector<double> q = values(expand(b, shape));
  std::vector<double> y(p.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(p[i], q[i]);
  return from_vector(y, shape, a.dtype());
}

template <class F>
Tensor map_each(const Tensor& x, F f) {
  std::vector<double> y = values(x);
  for (double& element : y) element = f(element);
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace detail

inline Tensor add(const Tensor& a, const Tensor& b) {
  return detail::map_pairs("add", a, b, [](double p, double q) { return p + q; });
}
inline Tensor sub(const Tensor& a, const Tensor& b) {
  return detail::map_pairs("sub", a, b, [](double p, double q) { return p - q; });
}
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return detail::map_pairs("mul", a, b, [](double p, double q) { return p * q; });
}
inline Tensor div(const Tensor& a, const Tensor& b) {
  return detail::map_pairs("div", a, b, [](double p, double q) { return p / q; });
}
inline Tensor neg(const Tensor& x) {
  return detail::map_each(x, [](double p) { return -p; });
}
inline Tensor exp(const Tensor& x) {
  return detail::map_each(x, [](double p) { return std::exp(p); });
}
inline Tensor log(const Tensor& x) {
  return detail::map_each(x, [](double p) { return std::log(p); });
}
inline Tensor sqrt(const Tensor& x) {
  return detail::map_each(x, [](double p) { return std::sqrt(p); });
}

}  // namespace gradwalk::reference
