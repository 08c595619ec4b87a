// Memory of attention, forward and backward: linear in T, while its parts hold maps of T x T.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "autograd/attention.h"
#include "autograd/backward.h"
#include "tensor/allocator.h"
#include "tensor/random.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

constexpr std::int64_t kHeads = 4, kKvHeads = 2, kHeadDim = 16;

template <class F>
std::int64_t peak_bytes(std::int64_t seq_len, F attend) {
  Generator generator(17, "memory");
  const std::int64_t before = memory_stats().used_bytes;
  const Variable query = parameter(normal({1, kHeads, seq_len, kHeadDim}, generator));
  const Variable key = parameter(normal({1, kKvHeads, seq_len, kHeadDim}, generator));
  const Variable value = parameter(normal({1, kKvHeads, seq_len, kHeadDim}, generator));
  reset_peak_memory();
  const Variable y = attend(query, key, value);
  backward(y, y.value());
  return memory_stats().peak_used_bytes - before;
}

TEST(AttentionMemory, IsLinearInTheNumberOfPositions) {
  // Per position, in float32: query, y and dquery for each head; key, value and their gradients for
  // each key/value head; the log-sum and the mean gradient of the heads of a group. In float64: the
  // log-sum for each head.
  constexpr std::int64_t kAPosition =
      4 * kHeadDim * (3 * kHeads + 4 * kKvHeads) + 4 * 2 * kHeads / kKvHeads + 8 * kHeads;
  // Tiles of a thread: two pieces of the map, keys, values, queries and gradients.
  constexpr std::int64_t kTiles = 4 * (2 * 64 * 144 + 3 * 128 * 32 + 3 * 64 * 32 + 1024);
  const auto fused = [](const Variable& query, const Variable& key, const Variable& value) {
    return attention(query, key, value, {.causal = true});
  };
  const auto parts = [](const Variable& query, const Variable& key, const Variable& value) {
    return weighted_values(attention_weights(query, key, {.causal = true}), value);
  };
  const int threads = num_threads();
  set_num_threads(1);
  fmt::print("{:>6} {:>14} {:>14}\n", "T", "fused, bytes", "parts, bytes");
  for (const std::int64_t seq_len : {128, 256, 512, 1024}) {
    const std::int64_t fused_bytes = peak_bytes(seq_len, fused);
    const std::int64_t parts_bytes = peak_bytes(seq_len, parts);
    fmt::print("{:>6} {:>14} {:>14}\n", seq_len, fused_bytes, parts_bytes);
    // The allocator rounds a block up by a quarter at most.
    EXPECT_LE(fused_bytes, (kAPosition * seq_len + kTiles) * 5 / 4);
    EXPECT_GE(fused_bytes, kAPosition * seq_len * 8 / 10);
    EXPECT_GE(parts_bytes, 3 * 4 * kHeads * seq_len * seq_len);  // three maps and more
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace gradwalk
