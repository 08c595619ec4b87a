// Memory of attention, forward and backward: linear in T, while its parts hold maps of T x T.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "autograd/attention.h"
#include "autograd/backward.h"
#include "autograd/trace.h"
#include "tensor/allocator.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

constexpr std::int64_t kHeads = 4, kKvHeads = 2, kHeadDim = 16;

// The most bytes of storage alive at once: looked at after each op and each rule, and all the time
// by a thread, which also meets the kernels' scratch.
class Peak final : public TraceObserver {
 public:
  Peak()
      : scope_(*this), watcher_([this] {
          while (!done_) look();
        }) {}
  ~Peak() override { stop(); }

  std::int64_t bytes() {
    stop();
    return most_;
  }
  void on_forward(const ForwardStep&) override { look(); }
  void on_backward(const BackwardStep&) override { look(); }

 private:
  void look() {
    const std::int64_t now = memory_stats().used_bytes;
    std::int64_t before = most_;
    while (now > before && !most_.compare_exchange_weak(before, now)) {
    }
  }
  void stop() {
    done_ = true;
    if (watcher_.joinable()) watcher_.join();
  }

  std::atomic<std::int64_t> most_{0};
  std::atomic<bool> done_{false};
  TraceScope scope_;
  std::thread watcher_;
};

template <class F>
std::int64_t peak_bytes(std::int64_t seq_len, F attend) {
  Generator generator(17, "memory");
  const std::int64_t before = memory_stats().used_bytes;
  const Variable query = parameter(normal({1, kHeads, seq_len, kHeadDim}, generator));
  const Variable key = parameter(normal({1, kKvHeads, seq_len, kHeadDim}, generator));
  const Variable value = parameter(normal({1, kKvHeads, seq_len, kHeadDim}, generator));
  Peak peak;
  const Variable y = attend(query, key, value);
  backward(y, y.value());
  return peak.bytes() - before;
}

TEST(AttentionMemory, IsLinearInTheNumberOfPositions) {
  // Per position, in float32: query, y and dquery for each head; key, value and their gradients for
  // each key/value head. In float64: the log-sum for each head, and the sums of one key/value head.
  constexpr std::int64_t kAPosition =
      4 * kHeadDim * (3 * kHeads + 4 * kKvHeads) + 8 * kHeads + 8 * 2 * kHeadDim;
  const auto fused = [](const Variable& query, const Variable& key, const Variable& value) {
    return attention(query, key, value, {.causal = true});
  };
  const auto parts = [](const Variable& query, const Variable& key, const Variable& value) {
    return weighted_values(attention_weights(query, key, {.causal = true}), value);
  };
  fmt::print("{:>6} {:>14} {:>14}\n", "T", "fused, bytes", "parts, bytes");
  for (const std::int64_t seq_len : {64, 128, 256, 512}) {
    const std::int64_t fused_bytes = peak_bytes(seq_len, fused);
    const std::int64_t parts_bytes = peak_bytes(seq_len, parts);
    fmt::print("{:>6} {:>14} {:>14}\n", seq_len, fused_bytes, parts_bytes);
    EXPECT_LE(fused_bytes, kAPosition * seq_len);
    EXPECT_GE(fused_bytes, kAPosition * seq_len * 8 / 10);
    EXPECT_GE(parts_bytes, 3 * 4 * kHeads * seq_len * seq_len);  // three maps and more
  }
}

}  // namespace
}  // namespace gradwalk
