#include "tensor/reference/elementwise.h"

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

template <class F>
Tensor binary(const char* op, const Tensor& a, const Tensor& b, F f) {
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  const std::vector<double> q = values(expand(b, shape));
  std::vector<double> y(p.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(p[i], q[i]);
  return from_vector(y, shape, a.dtype());
}

template <class F>
Tensor unary(const Tensor& x, F f) {
  std::vector<double> y = values(x);
  for (double& element : y) element = f(element);
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  return binary("add", a, b, [](double p, double q) { return p + q; });
}
Tensor sub(const Tensor& a, const Tensor& b) {
  return binary("sub", a, b, [](double p, double q) { return p - q; });
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return binary("mul", a, b, [](double p, double q) { return p * q; });
}
Tensor div(const Tensor& a, const Tensor& b) {
  return binary("div", a, b, [](double p, double q) { return p / q; });
}
Tensor neg(const Tensor& x) {
  return unary(x, [](double p) { return -p; });
}
Tensor exp(const Tensor& x) {
  return unary(x, [](double p) { return std::exp(p); });
}
Tensor log(const Tensor& x) {
  return unary(x, [](double p) { return std::log(p); });
}
Tensor sqrt(const Tensor& x) {
  return unary(x, [](double p) { return std::sqrt(p); });
}

}  // namespace gradwalk::reference
