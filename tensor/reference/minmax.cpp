#include "tensor/reference/minmax.h"

#include <cmath>
#include <limits>

#include "tensor/layout.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class F>
Tensor each(const Tensor& x, F f) {
  std::vector<double> y = values(x);
  for (double& element : y) element = std::isnan(element) ? kNan : f(element);
  return from_vector(y, x.shape(), x.dtype());
}

template <class F>
Tensor pairs(const Tensor& a, const Tensor& b, F f) {
  const Shape shape = broadcast_shapes("minmax", a.shape(), b.shape());
  const std::vector<double> p = values(expand(a, shape));
  std::vector<double> y = values(expand(b, shape));
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::isnan(p[i]) || std::isnan(y[i]) ? kNan : f(p[i], y[i]);
  }
  return from_vector(y, shape, a.dtype());
}

// A bound as the dtype of x rounds it.
double rounded(double bound, DType dtype) {
  return dtype == DType::kFloat32 ? static_cast<double>(static_cast<float>(bound)) : bound;
}

}  // namespace

Tensor abs(const Tensor& x) {
  return each(x, [](double p) { return p < 0 ? -p : p; });
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p > q ? p : q; });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return pairs(a, b, [](double p, double q) { return p < q ? p : q; });
}
Tensor clip(const Tensor& x, double low, double high) {
  const double from = rounded(low, x.dtype());
  const double to = rounded(high, x.dtype());
  return each(x, [=](double p) { return p < from ? from : p > to ? to : p; });
}

Tensor abs_backward(const Tensor& x, const Tensor& dy) {
  return pairs(x, dy, [](double p, double g) {
    if (p == 0) return 0.0;
    return p > 0 ? g : -g;
  });
}
Tensor maximum_backward(const Tensor& a, const Tensor& b, const Tensor& dy) {
  const std::vector<double> p = values(expand(a, dy.shape()));
  const std::vector<double> q = values(expand(b, dy.shape()));
  std::vector<double> da = values(dy);
  for (std::size_t i = 0; i < da.size(); ++i) {
    if (p[i] < q[i]) da[i] = 0;
    if (p[i] == q[i]) da[i] /= 2;
    if (std::isnan(p[i]) || std::isnan(q[i])) da[i] = kNan;
  }
  return from_vector(da, dy.shape(), dy.dtype());
}
Tensor clip_backward(const Tensor& x, const Tensor& dy, double low, double high) {
  const double from = rounded(low, x.dtype());
  const double to = rounded(high, x.dtype());
  const std::vector<double> p = values(x);
  std::vector<double> dx = values(dy);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (p[i] < from || p[i] > to) dx[i] = 0;
    if (std::isnan(p[i])) dx[i] = kNan;
  }
  return from_vector(dx, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
