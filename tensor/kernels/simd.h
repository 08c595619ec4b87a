#pragma once

// Google Highway, as every SIMD kernel uses it: static dispatch, so `hn` is the one target that the
// build chose (tensor/arch.h names it). A kernel is written once for float and double, with
// hn::ScalableTag<T> for whole vectors and masked loads and stores for what is left of a row.

#include <hwy/highway.h>

#if HWY_TARGET == HWY_SCALAR
#error "the kernels need vector instructions: set GRADWALK_ARCH to x86-64-v2 or more"
#endif

namespace gradwalk::kernels {

namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` lanes from `from`, the others 0; 0 <= count <= lanes. Unlike hn::MaskedLoad,
/// which on targets before AVX2 loads a whole aligned vector, it reads nothing else and asks for no
/// alignment.
template <class D, class T = hn::TFromD<D>>
hn::Vec<D> load_first(D d, const T* from, int count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  constexpr int kLanes = HWY_LANES(T);  // GCC 12 does not see that count is at most that
  HWY_ALIGN T lanes[kLanes] = {};
  for (int i = 0; i < kLanes && i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, from);
#endif
}

/// Writes the first `count` lanes of v and nothing else.
template <class D, class T = hn::TFromD<D>>
void store_first(hn::Vec<D> v, D d, T* into, int count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[HWY_LANES(T)];
  hn::Store(v, d, lanes);
  for (int i = 0; i < count; ++i) into[i] = lanes[i];
#else
  hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(count)), d, into);
#endif
}

}  // namespace gradwalk::kernels
