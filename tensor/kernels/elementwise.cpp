#include "tensor/kernels/elementwise.h"

#include <cmath>
#include <type_traits>

#include "tensor/kernels/simd_map.h"
#include "tensor/kernels/simd_math.h"
#include "tensor/kernels/wrapping.h"

namespace gradwalk::kernels {

template <class T>
void add(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y,
      [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u + v; }); });
}
template <class T>
void sub(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y,
      [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u - v; }); });
}
template <class T>
void mul(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y,
      [](T p, T q) { return wrapping(p, q, [](auto u, auto v) { return u * v; }); });
}
template <class T>
void div(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y, [](T p, T q) { return p / q; });
}

template <class T>
void neg(const Shape& shape, View<T> x, T* y) {
  if constexpr (std::is_integral_v<T>) {
    map(shape, x, y, [](T p) { return wrapping(T{}, p, [](auto u, auto v) { return u - v; }); });
  } else {
    map(shape, x, y, [](T p) { return -p; });  // 0 - p would lose the sign of zero
  }
}
template <class T>
void exp(const Shape& shape, View<T> x, T* y) {
  simd::map(shape, x, y, /*work=*/0.5, [](auto d, auto p) HWY_ATTR { return simd::exp(d, p); });
}
template <class T>
void log(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return std::log(p); });
}
template <class T>
void sqrt(const Shape& shape, View<T> x, T* y) {
  map(shape, x, y, [](T p) { return std::sqrt(p); });
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
