#include "tensor/kernels/elementwise.h"

#include <cmath>
#include <type_traits>

#include "tensor/kernels/strided.h"

// One loop over rows (strided.h). The two cases that matter, neighbours in memory and one number
// against a row, are written apart, so that the compiler vectorises them.

namespace gradwalk::kernels {
namespace {

template <class T, class F>
void binary(const Shape& shape, View<T> a, View<T> b, T* y, F f) {
  for_each_row<2>(shape, {a.strides, b.strides},
                  [&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
                    const T* pa = a.data + at[0];
                    const T* pb = b.data + at[1];
                    if (step[0] == 1 && step[1] == 1) {
                      for (std::int64_t i = 0; i < n; ++i) y[i] = f(pa[i], pb[i]);
                    } else if (step[0] == 1 && step[1] == 0) {
                      const T value = *pb;
                      for (std::int64_t i = 0; i < n; ++i) y[i] = f(pa[i], value);
                    } else {
                      for (std::int64_t i = 0; i < n; ++i)
                        y[i] = f(pa[i * step[0]], pb[i * step[1]]);
                    }
                    y += n;
                  });
}

template <class T, class F>
void unary(const Shape& shape, View<T> x, T* y, F f) {
  for_each_row<1>(shape, {x.strides},
                  [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
                    const T* px = x.data + at[0];
                    if (step[0] == 1) {
                      for (std::int64_t i = 0; i < n; ++i) y[i] = f(px[i]);
                    } else {
                      for (std::int64_t i = 0; i < n; ++i) y[i] = f(px[i * step[0]]);
                    }
                    y += n;
                  });
}

// Signed overflow is undefined in C++; int64 wraps here, as in every tensor library.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

}  // namespace

template <class T>
void add(const Shape& shape, View<T> a, View<T> b, T* y) {
  binary(shape, a, b, y,
         [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u + v; }); });
}
template <class T>
void sub(const Shape& shape, View<T> a, View<T> b, T* y) {
  binary(shape, a, b, y,
         [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u - v; }); });
}
template <class T>
void mul(const Shape& shape, View<T> a, View<T> b, T* y) {
  binary(shape, a, b, y,
         [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u * v; }); });
}
template <class T>
void div(const Shape& shape, View<T> a, View<T> b, T* y) {
  binary(shape, a, b, y, [](T p, T q) { return p / q; });
}

template <class T>
void neg(const Shape& shape, View<T> x, T* y) {
  if constexpr (std::is_integral_v<T>) {
    unary(shape, x, y, [](T p) { return wrapping(T{}, p, [](auto u, auto v) { return u - v; }); });
  } else {
    unary(shape, x, y, [](T p) { return -p; });  // 0 - p would lose the sign of zero
  }
}
template <class T>
void exp(const Shape& shape, View<T> x, T* y) {
  unary(shape, x, y, [](T p) { return std::exp(p); });
}
template <class T>
void log(const Shape& shape, View<T> x, T* y) {
  unary(shape, x, y, [](T p) { return std::log(p); });
}
template <class T>
void sqrt(const Shape& shape, View<T> x, T* y) {
  unary(shape, x, y, [](T p) { return std::sqrt(p); });
}

using Int = std::int64_t;
template void add(const Shape&, View<float>, View<float>, float*);
template void add(const Shape&, View<double>, View<double>, double*);
template void add(const Shape&, View<Int>, View<Int>, Int*);
template void sub(const Shape&, View<float>, View<float>, float*);
template void sub(const Shape&, View<double>, View<double>, double*);
template void sub(const Shape&, View<Int>, View<Int>, Int*);
template void mul(const Shape&, View<float>, View<float>, float*);
template void mul(const Shape&, View<double>, View<double>, double*);
template void mul(const Shape&, View<Int>, View<Int>, Int*);
template void div(const Shape&, View<float>, View<float>, float*);
template void div(const Shape&, View<double>, View<double>, double*);
template void neg(const Shape&, View<float>, float*);
template void neg(const Shape&, View<double>, double*);
template void neg(const Shape&, View<Int>, Int*);
template void exp(const Shape&, View<float>, float*);
template void exp(const Shape&, View<double>, double*);
template void log(const Shape&, View<float>, float*);
template void log(const Shape&, View<double>, double*);
template void sqrt(const Shape&, View<float>, float*);
template void sqrt(const Shape&, View<double>, double*);

}  // namespace gradwalk::kernels
