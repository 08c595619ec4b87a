#include "tensor/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

// Blocks of one size class move between a thread's cache and the pool in chains of up to
// `chain_limit` (Bonwick and Adams 2001, "magazines"): a thread keeps two chains of each class,
// so that a loop which allocates and frees around a boundary does not take the lock each time.

namespace gradwalk {
namespace {

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

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLargestSlab = std::size_t{64} << 20;
constexpr std::size_t kHeader = kAlignment;
constexpr int kClasses = 1 + 4 + 4 * (47 - 8);

// A block is room for a header, and behind it nothing (class 0), 64, 128, 192 or 256 bytes (classes
// 1 to 4), or from there on one of four steps in each (2^(e-1), 2^e]. Without the header on top a
// tensor of 2^e bytes would take a block of the next step.
int class_of(std::size_t bytes) {
  if (bytes <= kHeader) return 0;
  bytes -= kHeader;
  if (bytes <= 256) return static_cast<int>((bytes + 63) / 64);
  const auto e = static_cast<int>(std::bit_width(bytes - 1));
  if (e > 47) throw std::bad_alloc();
  const auto step = static_cast<int>((bytes - 1) >> (e - 3)) - 4;
  return 5 + 4 * (e - 9) + step;
}

constexpr std::size_t class_bytes(int size_class) {
  if (size_class < 5) return kHeader + 64 * static_cast<std::size_t>(size_class);
  const int e = 9 + (size_class - 5) / 4;
  const auto step = static_cast<std::size_t>((size_class - 5) % 4);
  return kHeader + ((step + 5) << (e - 3));
}

struct SizeClass {
  std::int64_t bytes;
  std::int64_t chain_limit;  // blocks; half a MiB of them, or one
};

constexpr std::array<SizeClass, kClasses> kSizeClasses = [] {
  std::array<SizeClass, kClasses> classes{};
  for (int c = 0; c < kClasses; ++c) {
    const auto bytes = static_cast<std::int64_t>(class_bytes(c));
    classes[static_cast<std::size_t>(c)] = {bytes, std::max<std::int64_t>(1, (1 << 19) / bytes)};
  }
  return classes;
}();

// A free block. The first one of a chain in the pool also links to the next chain.
struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_chain;
  std::int64_t chain_length;
};

struct Chain {
  FreeBlock* first = nullptr;
  std::int64_t length = 0;

  void push(FreeBlock* block) {
    block->next = first;
    first = block;
    ++length;
  }
  FreeBlock* pop() {
    FreeBlock* block = first;
    first = block->next;
    --length;
    return block;
  }
};

// A number that one thread writes and others may read.
class Counter {
 public:
  std::int64_t get() const { return value_.load(std::memory_order_relaxed); }
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Constant-initialised and never destroyed: a tensor may be freed after the thread's other objects.
struct ThreadCache {
  std::array<Chain, kClasses> active{};
  std::array<Chain, kClasses> spare{};
  Counter used_blocks;
  Counter used_bytes;
  Counter peak_bytes;
  enum class State { kNew, kOpen, kClosed } state = State::kNew;

  void count(std::int64_t blocks, std::int64_t bytes) {
    used_blocks.set(used_blocks.get() + blocks);
    used_bytes.set(used_bytes.get() + bytes);
    if (used_bytes.get() > peak_bytes.get()) peak_bytes.set(used_bytes.get());
  }
};

constinit thread_local ThreadCache cache;

struct Slab {
  std::byte* begin;
  std::size_t bytes;
  std::size_t in_blocks;  // the bytes that blocks are cut from
};

// What all threads share; every member is called with the lock held.
class Pool {
 public:
  std::mutex mutex;

  Chain take(int size_class) {
    FreeBlock*& head = chains_[static_cast<std::size_t>(size_class)];
    if (head == nullptr) return cut(size_class);
    FreeBlock* chain = head;
    head = chain->next_chain;
    return {chain, chain->chain_length};
  }

  void give(int size_class, Chain chain) {
    if (chain.first == nullptr) return;
    FreeBlock*& head = chains_[static_cast<std::size_t>(size_class)];
    chain.first->next_chain = head;
    chain.first->chain_length = chain.length;
    head = chain.first;
  }

  void enter(ThreadCache* thread) { threads_.push_back(thread); }
  void leave(ThreadCache* thread) {
    give_all(*thread);
    count_retired(thread->used_blocks.get(), thread->used_bytes.get());
    std::erase(threads_, thread);
  }

  void give_all(ThreadCache& thread) {
    for (int c = 0; c < kClasses; ++c) {
      give(c, std::exchange(thread.active[static_cast<std::size_t>(c)], {}));
      give(c, std::exchange(thread.spare[static_cast<std::size_t>(c)], {}));
    }
  }

  MemoryStats stats() const {
    MemoryStats sum{system_allocations_, system_bytes_, retired_blocks_, retired_bytes_,
                    retired_bytes_};
    for (const ThreadCache* thread : threads_) {
      sum.used_blocks += thread->used_blocks.get();
      sum.used_bytes += thread->used_bytes.get();
      sum.peak_used_bytes += thread->peak_bytes.get();
    }
    return sum;
  }
  void reset_peak() {
    for (ThreadCache* thread : threads_) thread->peak_bytes.set(thread->used_bytes.get());
  }

  void count_system(std::int64_t allocations, std::int64_t bytes) {
    system_allocations_ += allocations;
    system_bytes_ += bytes;
  }
  void count_retired(std::int64_t blocks, std::int64_t bytes) {
    retired_blocks_ += blocks;
    retired_bytes_ += bytes;
  }

  void release_free_slabs();

 private:
  Chain cut(int size_class);
  std::byte* add_slab(std::size_t in_blocks);
  void cut_rest_into_blocks();

  std::array<FreeBlock*, kClasses> chains_{};
  std::vector<ThreadCache*> threads_;
  std::vector<Slab> slabs_;
  std::byte* rest_ = nullptr;  // what is not cut yet of the newest slab
  std::size_t rest_bytes_ = 0;
  std::size_t next_slab_ = kHugePage;
  std::int64_t system_allocations_ = 0;
  std::int64_t system_bytes_ = 0;
  std::int64_t retired_blocks_ = 0;  // of threads without a cache of their own
  std::int64_t retired_bytes_ = 0;
};

// Never destroyed, for the same reason as the caches.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

// New blocks of a class: as many small ones as make a few pages, or one large one. The largest have
// a slab each, which no small block that lives on can keep from going back.
Chain Pool::cut(int size_class) {
  const std::size_t size = class_bytes(size_class);
  if (size > kLargestSlab) {
    Chain alone;
    alone.push(new (add_slab(size)) FreeBlock{nullptr, nullptr, 0});
    return alone;
  }
  if (rest_bytes_ < size) {
    cut_rest_into_blocks();
    // Slabs double, so that a small program stays small and a large one asks seldom.
    const std::size_t bytes = std::max(next_slab_, (size + kHugePage - 1) / kHugePage * kHugePage);
    rest_ = add_slab(bytes);
    rest_bytes_ = bytes;
    next_slab_ = std::min(2 * next_slab_, kLargestSlab);
  }
  const std::size_t count =
      std::min(rest_bytes_ / size, std::max<std::size_t>(1, (std::size_t{1} << 14) / size));
  Chain chain;
  for (std::size_t i = count; i-- > 0;) {
    chain.push(new (rest_ + i * size) FreeBlock{nullptr, nullptr, 0});
  }
  rest_ += count * size;
  rest_bytes_ -= count * size;
  return chain;
}

void Pool::cut_rest_into_blocks() {
  while (rest_bytes_ >= kAlignment) {
    int size_class = class_of(rest_bytes_);
    if (class_bytes(size_class) > rest_bytes_) --size_class;
    Chain chain;
    chain.push(new (rest_) FreeBlock{nullptr, nullptr, 0});
    give(size_class, chain);
    rest_ += class_bytes(size_class);
    rest_bytes_ -= class_bytes(size_class);
  }
}

// Room for `in_blocks` bytes, in whole huge pages.
std::byte* Pool::add_slab(std::size_t in_blocks) {
  const std::size_t bytes = (in_blocks + kHugePage - 1) / kHugePage * kHugePage;
  slabs_.reserve(slabs_.size() + 1);
  void* area = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(area);
  const std::size_t before = (kHugePage - address % kHugePage) % kHugePage;
  auto* begin = static_cast<std::byte*>(area) + before;
  if (before > 0) munmap(area, before);
  munmap(begin + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  madvise(begin, bytes, MADV_HUGEPAGE);  // advice: without huge pages it is slower, not wrong
#endif
  slabs_.push_back({begin, bytes, in_blocks});
  count_system(1, static_cast<std::int64_t>(bytes));
  return begin;
}

// A slab may go when its free blocks together fill it.
void Pool::release_free_slabs() {
  cut_rest_into_blocks();
  std::sort(slabs_.begin(), slabs_.end(),
            [](const Slab& a, const Slab& b) { return a.begin < b.begin; });
  const auto slab_of = [this](const FreeBlock* block) {
    const auto* address = reinterpret_cast<const std::byte*>(block);
    const auto after =
        std::upper_bound(slabs_.begin(), slabs_.end(), address,
                         [](const std::byte* at, const Slab& slab) { return at < slab.begin; });
    return static_cast<std::size_t>(after - slabs_.begin() - 1);
  };
  std::vector<std::size_t> free_bytes(slabs_.size());
  for (int c = 0; c < kClasses; ++c) {
    for (FreeBlock* chain = chains_[static_cast<std::size_t>(c)]; chain;
         chain = chain->next_chain) {
      for (FreeBlock* block = chain; block; block = block->next) {
        free_bytes[slab_of(block)] += class_bytes(c);
      }
    }
  }
  const auto is_free = [&](std::size_t slab) { return free_bytes[slab] == slabs_[slab].in_blocks; };
  for (int c = 0; c < kClasses; ++c) {
    FreeBlock* chain = std::exchange(chains_[static_cast<std::size_t>(c)], nullptr);
    while (chain != nullptr) {
      FreeBlock* block = std::exchange(chain, chain->next_chain);
      Chain kept;
      while (block != nullptr) {
        FreeBlock* next = block->next;
        if (!is_free(slab_of(block))) kept.push(block);
        block = next;
      }
      give(c, kept);
    }
  }
  std::vector<Slab> kept;
  kept.reserve(slabs_.size());
  for (std::size_t i = 0; i < slabs_.size(); ++i) {
    if (is_free(i)) {
      munmap(slabs_[i].begin, slabs_[i].bytes);
      system_bytes_ -= static_cast<std::int64_t>(slabs_[i].bytes);
    } else {
      kept.push_back(slabs_[i]);
    }
  }
  slabs_ = std::move(kept);
}

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
  void* block = ::operator new (class_bytes(static_cast<int>(c)), std::align_val_t{kAlignment});
  const std::lock_guard lock(pool().mutex);
  pool().count_system(1, kSizeClasses[c].bytes);
  return block;
}

void give_to_system(void* block, std::size_t c) {
  ::operator delete (block, std::align_val_t{kAlignment});
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
  const auto c = static_cast<std::size_t>(class_of(bytes));
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
  const auto c = static_cast<std::size_t>(class_of(bytes));
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
