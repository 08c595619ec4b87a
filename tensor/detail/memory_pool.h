#pragma once

// What the allocator hands out blocks from. Blocks of one size class move between a thread's cache
// and the pool in chains of up to `chain_limit` (Bonwick and Adams 2001, "magazines"): a thread
// keeps two chains of each class, so that a loop which allocates and frees around a boundary does
// not take the lock each time.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "tensor/allocator.h"

namespace gradwalk::memory {

inline constexpr std::size_t kAlignment = 64;
inline constexpr std::size_t kHeader = kAlignment;
inline constexpr int kClasses = 1 + 4 + 4 * (47 - 8);

// A block is room for a header, and behind it nothing (class 0), 64, 128, 192 or 256 bytes (classes
// 1 to 4), or from there on one of four steps in each (2^(e-1), 2^e]. Without the header on top a
// tensor of 2^e bytes would take a block of the next step.
inline int class_of(std::size_t bytes) {
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

inline constexpr std::array<SizeClass, kClasses> kSizeClasses = [] {
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

struct Slab {
  std::byte* begin;
  std::size_t bytes;
  std::size_t in_blocks;  // the bytes that blocks are cut from
};

// What all threads share; every member is called with the lock held.
class Pool {
 public:
  std::mutex mutex;

  Chain take(int size_class);
  void give(int size_class, Chain chain);
  void give_all(ThreadCache& thread);

  void enter(ThreadCache* thread) { threads_.push_back(thread); }
  void leave(ThreadCache* thread);

  MemoryStats stats() const;
  void reset_peak();

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
  std::size_t next_slab_ = std::size_t{2} << 20;
  std::int64_t system_allocations_ = 0;
  std::int64_t system_bytes_ = 0;
  std::int64_t retired_blocks_ = 0;  // of threads without a cache of their own
  std::int64_t retired_bytes_ = 0;
};

/// Never destroyed, for the same reason as the caches.
Pool& pool();

}  // namespace gradwalk::memory
