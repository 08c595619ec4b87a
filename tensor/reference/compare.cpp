#include "tensor/reference/compare.h"

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

template <class F>
Tensor pairs(const Tensor& a, const Tensor& b, F holds) {
  const Shape shape = broadcast_shapes("compare", a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  const std::vector<double> q = values(expand(b, shape));
  std::vector<double> y;
  for (std::size_t i = 0; i < p.size(); ++i) y.push_back(holds(p[i], q[i]) ? 1 : 0);
  return from_vector(y, shape, DType::kBool);
}

template <class F>
Tensor each(const Tensor& x, F holds) {
  std::vector<double> y;
  for (const double element : values(x)) y.push_back(holds(element) ? 1 : 0);
  return from_vector(y, x.shape(), DType::kBool);
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p == q; });
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return !(p == q); });
}
Tensor less(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p < q; });
}
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p < q || p == q; });
}
Tensor greater(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p > q; });
}
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p > q || p == q; });
}

Tensor isnan(const Tensor& x) {
  return each(x, [](double p) { return std::isnan(p); });
}
Tensor isinf(const Tensor& x) {
  return each(x, [](double p) { return std::isinf(p); });
}
Tensor isfinite(const Tensor& x) {
  return each(x, [](double p) { return std::isfinite(p); });
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p == 1 && q == 1; });
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p == 1 || q == 1; });
}
Tensor logical_not(const Tensor& x) {
  return each(x, [](double p) { return p == 0; });
}

}  // namespace gradwalk::reference
