#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Blocks first, ..., first + count - 1 of the stream that a Generator draws from: 4 words each,
/// the same as philox4x32 (tensor/random.h) gives one by one.
void philox_blocks(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                   std::int64_t count, std::uint32_t* out);

}  // namespace gradwalk::kernels
