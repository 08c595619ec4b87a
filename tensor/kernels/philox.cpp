#include "tensor/kernels/philox.h"

#include <algorithm>
#include <array>

#include "tensor/kernels/simd.h"

// A lane of 64 bits works on one block: Philox multiplies 32 by 32 bits and wants both halves of
// the product, which is what MulEven gives. What stands in the upper half of a lane is never read,
// so that no round has to clear it.

namespace gradwalk::kernels {
namespace {

using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using V = hn::Vec<D64>;

constexpr std::int64_t kLanes = HWY_LANES(std::uint64_t);

std::uint64_t low(std::uint64_t x) { return x & 0xFFFFFFFF; }

// The product of the lower halves.
HWY_INLINE V product(V a, V b) { return hn::MulEven(hn::BitCast(D32(), a), hn::BitCast(D32(), b)); }

// The blocks in `index`, words 0 and 1 of each lane's block, then words 2 and 3.
HWY_INLINE std::array<V, 2> rounds(V index, std::uint64_t stream, std::uint64_t seed) {
  const D64 d;
  V c0 = index;
  V c1 = hn::ShiftRight<32>(index);
  V c2 = hn::Set(d, low(stream));
  V c3 = hn::Set(d, stream >> 32);
  std::uint64_t k0 = low(seed);
  std::uint64_t k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {
    const V p0 = product(c0, hn::Set(d, 0xD2511F53ULL));
    const V p1 = product(c2, hn::Set(d, 0xCD9E8D57ULL));
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(d, k0));
    c1 = p1;
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(d, k1));
    c3 = p0;
    k0 = low(k0 + 0x9E3779B9);
    k1 = low(k1 + 0xBB67AE85);
  }
  const auto pair = [](V even, V odd) HWY_ATTR {
    return hn::BitCast(
        D64(), hn::OddEven(hn::BitCast(D32(), hn::ShiftLeft<32>(odd)), hn::BitCast(D32(), even)));
  };
  return {pair(c0, c1), pair(c2, c3)};
}

}  // namespace

void philox_blocks(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                   std::int64_t count, std::uint32_t* out) {
  const D64 d;
  // Interleaving pairs of words takes even lanes to the lower half of the blocks and odd lanes to
  // the upper one: in this order they come out one after the other.
  HWY_ALIGN std::uint64_t order[kLanes];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    order[lane] = static_cast<std::uint64_t>(lane / 2 + lane % 2 * (kLanes / 2));
  }
  const V offsets = hn::Load(d, order);
  HWY_ALIGN std::uint32_t words[4 * kLanes];
  for (std::int64_t done = 0; done < count; done += kLanes) {
    const std::uint64_t block = first + static_cast<std::uint64_t>(done);
    const auto [front, back] = rounds(hn::Add(hn::Set(d, block), offsets), stream, seed);
    const bool whole = done + kLanes <= count;
    std::uint32_t* into = whole ? out + 4 * done : words;
    hn::StoreU(hn::BitCast(D32(), hn::InterleaveLower(d, front, back)), D32(), into);
    hn::StoreU(hn::BitCast(D32(), hn::InterleaveUpper(d, front, back)), D32(), into + 2 * kLanes);
    if (!whole) std::copy(words, words + 4 * (count - done), out + 4 * done);
  }
}

}  // namespace gradwalk::kernels
