#include "tensor/kernels/power.h"

#include <cmath>

namespace gradwalk::kernels {

template <class T>
void pow(const Shape& shape, View<T> x, double exponent, T* y) {
  if (exponent == 2) return map(shape, x, y, [](T p) { return p * p; });
  map(shape, x, y,
      [exponent](T p) { return static_cast<T>(std::pow(static_cast<double>(p), exponent)); });
}
template <class T>
void pow(const Shape& shape, View<T> a, View<T> b, T* y) {
  map(shape, a, b, y, [](T p, T q) { return std::pow(p, q); });
}

template void pow(const Shape&, View<float>, double, float*);
template void pow(const Shape&, View<double>, double, double*);
template void pow(const Shape&, View<float>, View<float>, float*);
template void pow(const Shape&, View<double>, View<double>, double*);

}  // namespace gradwalk::kernels
