#include "tensor/kernels/compare.h"

#include <cmath>
#include <limits>

namespace gradwalk::kernels {

template <class T>
void equal(const Shape& shape, View<T> a, View<T> b, bool* y) {
  map(shape, a, b, y, [](T p, T q) { return p == q; });
}
template <class T>
void not_equal(const Shape& shape, View<T> a, View<T> b, bool* y) {
  map(shape, a, b, y, [](T p, T q) { return p != q; });
}
template <class T>
void less(const Shape& shape, View<T> a, View<T> b, bool* y) {
  map(shape, a, b, y, [](T p, T q) { return p < q; });
}
template <class T>
void less_equal(const Shape& shape, View<T> a, View<T> b, bool* y) {
  map(shape, a, b, y, [](T p, T q) { return p <= q; });
}

template <class T>
void isnan(const Shape& shape, View<T> x, bool* y) {
  map(shape, x, y, [](T p) { return p != p; });
}
template <class T>
void isinf(const Shape& shape, View<T> x, bool* y) {
  map(shape, x, y, [](T p) { return std::abs(p) == std::numeric_limits<T>::infinity(); });
}
template <class T>
void isfinite(const Shape& shape, View<T> x, bool* y) {
  map(shape, x, y, [](T p) { return std::abs(p) < std::numeric_limits<T>::infinity(); });
}

void logical_and(const Shape& shape, View<bool> a, View<bool> b, bool* y) {
  map(shape, a, b, y, [](bool p, bool q) { return p && q; });
}
void logical_or(const Shape& shape, View<bool> a, View<bool> b, bool* y) {
  map(shape, a, b, y, [](bool p, bool q) { return p || q; });
}
void logical_not(const Shape& shape, View<bool> x, bool* y) {
  map(shape, x, y, [](bool p) { return !p; });
}

using Int = std::int64_t;
template void equal(const Shape&, View<float>, View<float>, bool*);
template void equal(const Shape&, View<double>, View<double>, bool*);
template void equal(const Shape&, View<Int>, View<Int>, bool*);
template void equal(const Shape&, View<bool>, View<bool>, bool*);
template void not_equal(const Shape&, View<float>, View<float>, bool*);
template void not_equal(const Shape&, View<double>, View<double>, bool*);
template void not_equal(const Shape&, View<Int>, View<Int>, bool*);
template void not_equal(const Shape&, View<bool>, View<bool>, bool*);
template void less(const Shape&, View<float>, View<float>, bool*);
template void less(const Shape&, View<double>, View<double>, bool*);
template void less(const Shape&, View<Int>, View<Int>, bool*);
template void less_equal(const Shape&, View<float>, View<float>, bool*);
template void less_equal(const Shape&, View<double>, View<double>, bool*);
template void less_equal(const Shape&, View<Int>, View<Int>, bool*);
template void isnan(const Shape&, View<float>, bool*);
template void isnan(const Shape&, View<double>, bool*);
template void isinf(const Shape&, View<float>, bool*);
template void isinf(const Shape&, View<double>, bool*);
template void isfinite(const Shape&, View<float>, bool*);
template void isfinite(const Shape&, View<double>, bool*);

}  // namespace gradwalk::kernels
