#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/kernels/simd.h"

// Results that are larger than the caches. A plain store to a line that is not in the cache reads
// the line first, which costs as much as writing it; a streaming store does not. Such results are
// made block by block in the first cache and streamed from there, while the operands of the next
// block are on their way. Functions that cost more than the memory, as gelu does, gain nothing by
// it and are not streamed (simd_map.h).

namespace gradwalk::kernels {

/// From this size on streaming wins even if the result is read next: its first part is no longer in
/// the cache then either way.
inline constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;

/// Whether a result of n elements is streamed.
template <class T>
bool streams(std::int64_t n) {
  return sizeof(T) >= 4 && n * static_cast<std::int64_t>(sizeof(T)) >= kStreamBytes;
}

/// to = from for n elements, past the caches. hwy::FlushStream must follow before anybody else
/// reads `to`.
template <class T>
void stream_copy(const T* from, T* to, std::int64_t n) {
  using Lane = std::conditional_t<sizeof(T) == 4, float, double>;
  static_assert(sizeof(Lane) == sizeof(T));
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto bytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t past = reinterpret_cast<std::intptr_t>(to) / bytes % lanes;
  std::int64_t i = std::min(n, past == 0 ? 0 : lanes - past);
  std::memcpy(to, from, static_cast<std::size_t>(i * bytes));
  for (; i + lanes <= n; i += lanes) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const Lane*>(from + i)), d,
               reinterpret_cast<Lane*>(to + i));
  }
  std::memcpy(to + i, from + i, static_cast<std::size_t>((n - i) * bytes));
}

template <class T>
void prefetch(const T* from, std::int64_t n) {
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  for (std::int64_t i = 0; i < n; i += kLine) __builtin_prefetch(from + i);
}

/// Makes elements first, ..., last - 1 of y by calls of compute(i, count, out), which write
/// elements i, ..., i + count - 1 to `out`: all at once, or block by block if the result is
/// streamed. `in` are the operands, of which compute reads the same elements.
template <class Y, class Compute, class... In>
void make(std::int64_t first, std::int64_t last, bool stream, Y* y, Compute compute,
          const In*... in) {
  if constexpr (sizeof(Y) >= 4) {
    if (stream) {
      constexpr std::int64_t kBlock = 512;
      alignas(64) Y block[kBlock];
      for (std::int64_t i = first; i < last; i += kBlock) {
        const std::int64_t count = std::min(kBlock, last - i);
        (prefetch(in + i + count, std::min(kBlock, last - i - count)), ...);
        compute(i, count, static_cast<Y*>(block));
        stream_copy(block, y + i, count);
      }
      hwy::FlushStream();
      return;
    }
  }
  compute(first, last - first, y + first);
}

}  // namespace gradwalk::kernels
