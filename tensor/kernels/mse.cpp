#include "tensor/kernels/mse.h"

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// Differences are taken in float64: two close float32 numbers lose nothing, and 1e38 - -3e38 is no
// infinity yet.

namespace gradwalk::kernels {

namespace {

template <class T, class Part>
HWY_INLINE hn::Vec<simd::Wide> error_at(const T* p, const T* t, std::int64_t i, Part part) {
  return hn::Sub(simd::load_wide(p + i, part), simd::load_wide(t + i, part));
}

}  // namespace

template <class T>
double squared_error(std::int64_t n, const T* p, const T* t) {
  return simd::wide_sum(n, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto error = error_at(p, t, i, part);
    return hn::Mul(error, error);
  });
}

template <class T>
void squared_error_backward(std::int64_t n, const T* p, const T* t, double share, T* dp) {
  const auto factor = hn::Set(simd::Wide(), 2 * share);
  parallel_for(n, n / 4, 1024, [=](std::int64_t first, std::int64_t last) HWY_ATTR {
    simd::for_each_vector(simd::Wide(), last - first, [=](std::int64_t i, auto part) HWY_ATTR {
      const std::int64_t at = first + i;
      simd::store_wide(hn::Mul(factor, error_at(p, t, at, part)), dp + at, part);
    });
  });
}

template double squared_error(std::int64_t, const float*, const float*);
template double squared_error(std::int64_t, const double*, const double*);
template void squared_error_backward(std::int64_t, const float*, const float*, double, float*);
template void squared_error_backward(std::int64_t, const double*, const double*, double, double*);

}  // namespace gradwalk::kernels
