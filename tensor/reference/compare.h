#pragma once

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

/// The naive loops of tensor/compare.h.
namespace gradwalk::reference {
namespace detail {

template <class F>
Tensor compare_pairs(const Tensor& a, const Tensor& b, F holds) {
  const Shape shape = broadcast_shapes("compare", a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  const std::vector<double> q = values(expand(b, shape));
  std::vector<double> y;
  for (std::size_t i = 0; i < p.size(); ++i) y.push_back(holds(p[i], q[i]) ? 1 : 0);
  return from_vector(y, shape, DType::kBool);
}

template <class F>
Tensor test_each(const Tensor& x, F holds) {
  std::vector<double> y;
  for (const double element : values(x)) y.push_back(holds(element) ? 1 : 0);
  return from_vector(y, x.shape(), DType::kBool);
}

}  // namespace detail

inline Tensor equal(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p == q; });
}
inline Tensor not_equal(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return !(p == q); });
}
inline Tensor less(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p < q; });
}
inline Tensor less_equal(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p < q || p == q; });
}
inline Tensor greater(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p > q; });
}
inline Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p > q || p == q; });
}

inline Tensor isnan(const Tensor& x) {
  return detail::test_each(x, [](double p) { return std::isnan(p); });
}
inline Tensor isinf(const Tensor& x) {
  return detail::test_each(x, [](double p) { return std::isinf(p); });
}
inline Tensor isfinite(const Tensor& x) {
  return detail::test_each(x, [](double p) { return std::isfinite(p); });
}

inline Tensor logical_and(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p == 1 && q == 1; });
}
inline Tensor logical_or(const Tensor& a, const Tensor& b) {
  return detail::compare_pairs(a, b, [](double p, double q) { return p == 1 || q == 1; });
}
inline Tensor logical_not(const Tensor& x) {
  return detail::test_each(x, [](double p) { return p == 0; });
}

}  // namespace gradwalk::reference
