#pragma once

// Google Highway, as every SIMD kernel uses it: static dispatch, so `hn` is the one target that the
// build chose (tensor/arch.h names it). A kernel is written once for float and double, with
// hn::ScalableTag<T> for whole vectors and masked loads and stores for what is left of a row.

#include <hwy/highway.h>

namespace gradwalk::kernels {

namespace hn = hwy::HWY_NAMESPACE;

}  // namespace gradwalk::kernels
