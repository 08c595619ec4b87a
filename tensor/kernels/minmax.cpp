#include "tensor/kernels/minmax.h"

#include <cmath>
#include <type_traits>

// A NaN answers no to every comparison: each choice below ends in the operand that may be one. The
// backward functions choose too and do not multiply, since an infinite gradient times 0 is NaN.

namespace gradwalk::kernels {

template <class T>
void abs(const Shape& shape, View<T> x, T* y) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;  // signed overflow is undefined, and the lowest wraps
    map(shape, x, y, [](T p) { return p < 0 ? static_cast<T>(U{0} - static_cast<U>(p)) : p; });
  } else {
    map(shape, x, y, [](T p) { return std::abs(p); });
  }
}
template <class T>
void abs_backward(const Shape& shape, View<T> x, View<T> dy, T* dx) {
  map(shape, x, dy, dx, [](T p, T g) { return p > 0 ? g : p < 0 ? -g : p; });  // p: 0 or NaN
}

template <class T>
void maximum(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y, [](T p, T q) { return p > q || p != p ? p : q; });
}
template <class T>
void minimum(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y, [](T p, T q) { return p < q || p != p ? p : q; });
}
template <class T>
void maximum_backward(const Shape& shape, View<T> a, View<T> b, View<T> dy, T* da) {
  map(shape, a, b, dy, da, [](T p, T q, T g) {
    return p > q ? g : p < q ? T{0} : p == q ? g / 2 : p + q;  // p + q: NaN
  });
}

template <class T>
void clip(const Shape& shape, View<T> x, T low, T high, T* y) {
  map(shape, x, y, [low, high](T p) { return p < low ? low : p > high ? high : p; });
}
template <class T>
void clip_backward(const Shape& shape, View<T> x, View<T> dy, T low, T high, T* dx) {
  map(shape, x, dy, dx, [low, high](T p, T g) {
    return p < low || p > high ? T{0} : p == p ? g : p;
  });
}

using Int = std::int64_t;
template void abs(const Shape&, View<float>, float*);
template void abs(const Shape&, View<double>, double*);
template void abs(const Shape&, View<Int>, Int*);
template void abs_backward(const Shape&, View<float>, View<float>, float*);
template void abs_backward(const Shape&, View<double>, View<double>, double*);
template void maximum(const Shape&, View<float>, View<float>, float*);
template void maximum(const Shape&, View<double>, View<double>, double*);
template void maximum(const Shape&, View<Int>, View<Int>, Int*);
template void minimum(const Shape&, View<float>, View<float>, float*);
template void minimum(const Shape&, View<double>, View<double>, double*);
template void minimum(const Shape&, View<Int>, View<Int>, Int*);
template void maximum_backward(const Shape&, View<float>, View<float>, View<float>, float*);
template void maximum_backward(const Shape&, View<double>, View<double>, View<double>, double*);
template void clip(const Shape&, View<float>, float, float, float*);
template void clip(const Shape&, View<double>, double, double, double*);
template void clip(const Shape&, View<Int>, Int, Int, Int*);
template void clip_backward(const Shape&, View<float>, View<float>, float, float, float*);
template void clip_backward(const Shape&, View<double>, View<double>, double, double, double*);

}  // namespace gradwalk::kernels
