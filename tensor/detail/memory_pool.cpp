#include "tensor/detail/memory_pool.h"

#include <sys/mman.h>

#include <utility>

namespace gradwalk::memory {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLargestSlab = std::size_t{64} << 20;

}  // namespace

Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

Chain Pool::take(int size_class) {
  FreeBlock*& head = chains_[static_cast<std::size_t>(size_class)];
  if (head == nullptr) return cut(size_class);
  FreeBlock* chain = head;
  head = chain->next_chain;
  return {chain, chain->chain_length};
}

void Pool::give(int size_class, Chain chain) {
  if (chain.first == nullptr) return;
  FreeBlock*& head = chains_[static_cast<std::size_t>(size_class)];
  chain.first->next_chain = head;
  chain.first->chain_length = chain.length;
  head = chain.first;
}

void Pool::give_all(ThreadCache& thread) {
  for (int c = 0; c < kClasses; ++c) {
    give(c, std::exchange(thread.active[static_cast<std::size_t>(c)], {}));
    give(c, std::exchange(thread.spare[static_cast<std::size_t>(c)], {}));
  }
}

void Pool::leave(ThreadCache* thread) {
  give_all(*thread);
  count_retired(thread->used_blocks.get(), thread->used_bytes.get());
  std::erase(threads_, thread);
}

MemoryStats Pool::stats() const {
  MemoryStats sum{system_allocations_, system_bytes_, retired_blocks_, retired_bytes_,
                  retired_bytes_};
  for (const ThreadCache* thread : threads_) {
    sum.used_blocks += thread->used_blocks.get();
    sum.used_bytes += thread->used_bytes.get();
    sum.peak_used_bytes += thread->peak_bytes.get();
  }
  return sum;
}

void Pool::reset_peak() {
  for (ThreadCache* thread : threads_) thread->peak_bytes.set(thread->used_bytes.get());
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

}  // namespace gradwalk::memory
