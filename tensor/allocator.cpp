#include "tensor/allocator.h"

#include <mutex>
#include <new>
#include <utility>

#include "tensor/detail/memory_pool.h"

namespace gradwalk {
namespace {

using memory::Chain;
using memory::FreeBlock;
using memory::kSizeClasses;
using memory::pool;
using memory::ThreadCache;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif
#else
constexpr bool kCaching = true;
#endif

constinit thread_local ThreadCache cache;

// Hands a thread's blocks to the pool when the thread ends.
struct CloseAtThreadEnd {
  ~CloseAtThreadEnd() {
    const std::lock_guard lock(pool().mutex);
    pool().leave(&cache);
    cache.state = ThreadCache::State::kClosed;
  }
};

void open_cache() {
  static thread_local CloseAtThreadEnd close;
  static_cast<void>(close);
  const std::lock_guard lock(pool().mutex);
  pool().enter(&cache);
  cache.state = ThreadCache::State::kOpen;
}

FreeBlock* refill(std::size_t c) {
  if (cache.spare[c].length > 0) {
    std::swap(cache.active[c], cache.spare[c]);
  } else {
    const std::lock_guard lock(pool().mutex);
    cache.active[c] = pool().take(static_cast<int>(c));
  }
  return cache.active[c].pop();
}

// The active chain is full: it becomes the spare one, and the spare one goes to the pool.
void hand_over(std::size_t c) {
  const std::lock_guard lock(pool().mutex);
  pool().give(static_cast<int>(c),
              std::exchange(cache.spare[c], std::exchange(cache.active[c], {})));
}

// What a thread allocates and frees while it ends, after its cache was closed.
FreeBlock* take_from_pool(std::size_t c) {
  const std::lock_guard lock(pool().mutex);
  Chain chain = pool().take(static_cast<int>(c));
  FreeBlock* block = chain.pop();
  pool().give(static_cast<int>(c), chain);
  return block;
}

void give_to_pool(FreeBlock* block, std::size_t c) {
  Chain chain;
  chain.push(block);
  const std::lock_guard lock(pool().mutex);
  pool().give(static_cast<int>(c), chain);
}

// For AddressSanitizer: every block is one of the system's, and the counters are kept all the same.
void* take_from_system(std::size_t c) {
  void* block = ::operator new (memory::class_bytes(static_cast<int>(c)),
                                std::align_val_t{memory::kAlignment});
  const std::lock_guard lock(pool().mutex);
  pool().count_system(1, kSizeClasses[c].bytes);
  return block;
}

void give_to_system(void* block, std::size_t c) {
  ::operator delete (block, std::align_val_t{memory::kAlignment});
  const std::lock_guard lock(pool().mutex);
  pool().count_system(0, -kSizeClasses[c].bytes);
}

void count(std::size_t c, std::int64_t blocks) {
  const std::int64_t bytes = blocks * kSizeClasses[c].bytes;
  if (cache.state == ThreadCache::State::kOpen) return cache.count(blocks, bytes);
  const std::lock_guard lock(pool().mutex);
  pool().count_retired(blocks, bytes);
}

}  // namespace

void* allocate_block(std::size_t bytes) {
  const auto c = static_cast<std::size_t>(memory::class_of(bytes));
  if (cache.state == ThreadCache::State::kNew) open_cache();
  void* block = nullptr;
  if (!kCaching) {
    block = take_from_system(c);
  } else if (cache.state == ThreadCache::State::kOpen) {
    block = cache.active[c].length > 0 ? cache.active[c].pop() : refill(c);
  } else {
    block = take_from_pool(c);
  }
  count(c, 1);
  return block;
}

void free_block(void* block, std::size_t bytes) noexcept {
  const auto c = static_cast<std::size_t>(memory::class_of(bytes));
  if (cache.state == ThreadCache::State::kNew) open_cache();
  count(c, -1);
  if (!kCaching) return give_to_system(block, c);
  auto* free = new (block) FreeBlock;
  if (cache.state != ThreadCache::State::kOpen) return give_to_pool(free, c);
  if (cache.active[c].length >= kSizeClasses[c].chain_limit) hand_over(c);
  cache.active[c].push(free);
}

MemoryStats memory_stats() {
  const std::lock_guard lock(pool().mutex);
  return pool().stats();
}

void reset_peak_memory() {
  const std::lock_guard lock(pool().mutex);
  pool().reset_peak();
}

void release_free_memory() {
  const std::lock_guard lock(pool().mutex);
  pool().give_all(cache);
  pool().release_free_slabs();
}

}  // namespace gradwalk
