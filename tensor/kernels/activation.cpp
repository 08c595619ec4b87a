#include "tensor/kernels/activation.h"

#include <numbers>

#include "tensor/kernels/simd_map.h"
#include "tensor/kernels/simd_math.h"

// Each function is one exponential and at most one division a vector, so that it runs at the speed
// of memory. Exponentials are taken of -|x| only: they cannot overflow, and what is small keeps its
// digits.

namespace gradwalk::kernels {
namespace {

// Nanoseconds an element, roughly: for the choice of threads.
constexpr double kCheap = 0.1;
constexpr double kExp = 0.3;

// x times a weight that decays faster than any power of x: 0 beats infinity, as the limit does.
template <class D, class V>
V decayed(D d, V x, V weight) {
  return hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), hn::Mul(x, weight));
}

// x, but 0 where x <= 0; a NaN stays one.
template <class D, class V>
V positive_part(D d, V x) {
  return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Zero(d), x);
}

// 2 u and its derivative: (1 + tanh u) / 2 is sigmoid(2 u), which keeps its digits.
template <class V>
struct GeluArgument {
  V value, slope;
};
template <class D, class V, class T = hn::TFromD<D>>
GeluArgument<V> gelu_argument(D d, V x) {
  const T scale = 2 * std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
  const T cubic = T(0.044715) * scale;
  const V squared = hn::Mul(x, x);
  return {hn::Mul(x, hn::MulAdd(squared, hn::Set(d, cubic), hn::Set(d, scale))),
          hn::MulAdd(squared, hn::Set(d, 3 * cubic), hn::Set(d, scale))};
}

}  // namespace

template <class T>
void tanh(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp, [](auto d, auto p) HWY_ATTR { return simd::tanh(d, p); });
}
template <class T>
void tanh_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  simd::map(shape, y, dy, dx, kCheap, [](auto d, auto t, auto g) HWY_ATTR {
    const auto one = hn::Set(d, T{1});
    return hn::Mul(g, hn::Mul(hn::Sub(one, t), hn::Add(one, t)));
  });
}

template <class T>
void sigmoid(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp, [](auto d, auto p) HWY_ATTR { return simd::logistic(d, p).value; });
}
template <class T>
void sigmoid_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  simd::map(shape, y, dy, dx, kCheap, [](auto d, auto s, auto g) HWY_ATTR {
    return hn::Mul(g, hn::Mul(s, hn::Sub(hn::Set(d, T{1}), s)));
  });
}

template <class T>
void relu(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kCheap, [](auto d, auto p) HWY_ATTR { return positive_part(d, p); });
}
template <class T>
void relu_backward(const Shape& shape, View<T> y, View<T> dy, T* dx) {
  // A choice and no product: an infinite gradient times 0 would be NaN.
  simd::map(shape, y, dy, dx, kCheap, [](auto d, auto t, auto g) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(t, hn::Zero(d)), g, positive_part(d, t));
  });
}

template <class T>
void gelu_erf(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp,
            [](auto d, auto p) HWY_ATTR { return decayed(d, p, simd::normal(d, p).cdf); });
}
template <class T>
void gelu_erf_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  simd::map(shape, x, dy, dx, kExp, [](auto d, auto p, auto g) HWY_ATTR {
    const auto normal = simd::normal(d, p);
    return hn::Mul(g, hn::Add(normal.cdf, decayed(d, p, normal.density)));
  });
}

template <class T>
void gelu_tanh(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp, [](auto d, auto p) HWY_ATTR {
    return decayed(d, p, simd::logistic(d, gelu_argument(d, p).value).value);
  });
}
template <class T>
void gelu_tanh_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  simd::map(shape, x, dy, dx, kExp, [](auto d, auto p, auto g) HWY_ATTR {
    const auto u = gelu_argument(d, p);
    const auto s = simd::logistic(d, u.value);
    return hn::Mul(g, hn::Add(s.value, decayed(d, hn::Mul(p, u.slope), s.slope)));
  });
}

template <class T>
void silu(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp,
            [](auto d, auto p) HWY_ATTR { return decayed(d, p, simd::logistic(d, p).value); });
}
template <class T>
void silu_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  simd::map(shape, x, dy, dx, kExp, [](auto d, auto p, auto g) HWY_ATTR {
    const auto s = simd::logistic(d, p);
    return hn::Mul(g, hn::Add(s.value, decayed(d, p, s.slope)));
  });
}

template <class T>
void softplus(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, kExp, [](auto d, auto p) HWY_ATTR {
    return hn::Add(positive_part(d, p), simd::log1p(d, simd::exp(d, hn::Neg(hn::Abs(p)))));
  });
}
template <class T>
void softplus_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  simd::map(shape, x, dy, dx, kExp,
            [](auto d, auto p, auto g) HWY_ATTR { return hn::Mul(g, simd::logistic(d, p).value); });
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
