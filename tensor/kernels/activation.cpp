#include "tensor/kernels/activation.h"

#include <cmath>
#include <numbers>

// Each function is written without branches, so that a vector form can follow it line by line.
// Exponentials are taken of -|x| only: they cannot overflow, and what is small keeps its digits.

namespace gradwalk::kernels {
namespace {

// x times a weight that decays faster than any power of x: 0 beats infinity, as the limit does.
template <class T>
T decayed(T x, T weight) {
  return weight == 0 ? T{0} : x * weight;
}

// sigmoid(x) and its derivative s (1 - s).
template <class T>
struct Logistic {
  explicit Logistic(T x) {
    const T e = std::exp(-std::abs(x));
    value = (x >= 0 ? T{1} : e) / (1 + e);
    slope = e / ((1 + e) * (1 + e));
  }
  T value, slope;
};

// Phi(x), from the side where it does not cancel.
template <class T>
T normal_cdf(T x) {
  return T{0.5} * std::erfc(-x / std::numbers::sqrt2_v<T>);
}

// 2 u and its derivative: (1 + tanh u) / 2 is sigmoid(2 u), which keeps its digits.
template <class T>
struct GeluArgument {
  explicit GeluArgument(T x) {
    const T scale = 2 * std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
    const T cubic = T(0.044715);
    value = scale * x * (1 + cubic * x * x);
    slope = scale * (1 + 3 * cubic * x * x);
  }
  T value, slope;
};

}  // namespace

template <class T>
void tanh(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return std::tanh(p); });
}
template <class T>
void tanh_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  map(shape, y, dy, dx, [](T t, T g) { return g * ((1 - t) * (1 + t)); });
}

template <class T>
void sigmoid(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return Logistic<T>(p).value; });
}
template <class T>
void sigmoid_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  map(shape, y, dy, dx, [](T s, T g) { return g * (s * (1 - s)); });
}

template <class T>
void relu(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return p <= 0 ? T{0} : p; });  // NaN is not <= 0
}
template <class T>
void relu_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  // A choice and no product: an infinite gradient times 0 would be NaN.
  map(shape, y, dy, dx, [](T t, T g) { return t > 0 ? g : t <= 0 ? T{0} : t; });
}

template <class T>
void gelu_erf(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return decayed(p, normal_cdf(p)); });
}
template <class T>
void gelu_erf_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  map(shape, x, dy, dx, [](T p, T g) {
    constexpr T kScale =
        std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;  // 1 / sqrt(2 pi)
    const T density = kScale * std::exp(T{-0.5} * p * p);
    return g * (normal_cdf(p) + decayed(p, density));
  });
}

template <class T>
void gelu_tanh(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return decayed(p, Logistic<T>(GeluArgument<T>(p).value).value); });
}
template <class T>
void gelu_tanh_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  map(shape, x, dy, dx, [](T p, T g) {
    const GeluArgument<T> u(p);
    const Logistic<T> s(u.value);
    return g * (s.value + decayed(p * u.slope, s.slope));
  });
}

template <class T>
void silu(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return decayed(p, Logistic<T>(p).value); });
}
template <class T>
void silu_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  map(shape, x, dy, dx, [](T p, T g) {
    const Logistic<T> s(p);
    return g * (s.value + decayed(p, s.slope));
  });
}

template <class T>
void softplus(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) {
    const T positive = p <= 0 ? T{0} : p;  // a NaN stays one
    return positive + std::log1p(std::exp(-std::abs(p)));
  });
}
template <class T>
void softplus_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  map(shape, x, dy, dx, [](T p, T g) { return g * Logistic<T>(p).value; });
}

template void tanh(const Shape&, View<float>, float*);
template void tanh(const Shape&, View<double>, double*);
template void sigmoid(const Shape&, View<float>, float*);
template void sigmoid(const Shape&, View<double>, double*);
template void relu(const Shape&, View<float>, float*);
template void relu(const Shape&, View<double>, double*);
template void gelu_erf(const Shape&, View<float>, float*);
template void gelu_erf(const Shape&, View<double>, double*);
template void gelu_tanh(const Shape&, View<float>, float*);
template void gelu_tanh(const Shape&, View<double>, double*);
template void silu(const Shape&, View<float>, float*);
template void silu(const Shape&, View<double>, double*);
template void softplus(const Shape&, View<float>, float*);
template void softplus(const Shape&, View<double>, double*);
template void tanh_backward(const Shape&, View<float>, View<float>, float*);
template void tanh_backward(const Shape&, View<double>, View<double>, double*);
template void sigmoid_backward(const Shape&, View<float>, View<float>, float*);
template void sigmoid_backward(const Shape&, View<double>, View<double>, double*);
template void relu_backward(const Shape&, View<float>, View<float>, float*);
template void relu_backward(const Shape&, View<double>, View<double>, double*);
template void gelu_erf_backward(const Shape&, View<float>, View<float>, float*);
template void gelu_erf_backward(const Shape&, View<double>, View<double>, double*);
template void gelu_tanh_backward(const Shape&, View<float>, View<float>, float*);
template void gelu_tanh_backward(const Shape&, View<double>, View<double>, double*);
template void silu_backward(const Shape&, View<float>, View<float>, float*);
template void silu_backward(const Shape&, View<double>, View<double>, double*);
template void softplus_backward(const Shape&, View<float>, View<float>, float*);
template void softplus_backward(const Shape&, View<double>, View<double>, double*);

}  // namespace gradwalk::kernels
