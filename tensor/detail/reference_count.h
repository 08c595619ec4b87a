#pragma once

#include <atomic>
#include <cstdint>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace gradwalk {

/// Whether the process has only one thread, where the C library tells.
inline bool single_threaded() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

/// How many handles an object has, 1 at first. While the process has only one thread a change is a
/// plain addition, a few times cheaper than an atomic one.
class ReferenceCount {
 public:
  void add() {
    if (single_threaded()) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// True if that was the last one.
  bool drop() {
    if (single_threaded()) {
      const std::int64_t left = count_.load(std::memory_order_relaxed) - 1;
      count_.store(left, std::memory_order_relaxed);
      return left == 0;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool is_one() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::int64_t> count_{1};
};

}  // namespace gradwalk
