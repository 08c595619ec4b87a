#include "tensor/kernels/where.h"

namespace gradwalk::kernels {

template <class T>
void where(const Shape& shape, View<bool> cond, View<T> a, View<T> b, T* y) {
  // As bytes: GCC 12 has no vector of bool.
  const View<unsigned char> flags{reinterpret_cast<const unsigned char*>(cond.data), cond.strides,
                                  cond.dense};
  map(shape, flags, a, b, y, [](unsigned char c, T p, T q) { return c != 0 ? p : q; });
}

template void where(const Shape&, View<bool>, View<float>, View<float>, float*);
template void where(const Shape&, View<bool>, View<double>, View<double>, double*);
template void where(const Shape&, View<bool>, View<std::int64_t>, View<std::int64_t>,
                    std::int64_t*);
template void where(const Shape&, View<bool>, View<bool>, View<bool>, bool*);

}  // namespace gradwalk::kernels
