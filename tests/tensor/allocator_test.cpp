#include "tensor/allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "tensor/create.h"
#include "tensor/elementwise.h"

namespace gradwalk {
namespace {

// Builds with AddressSanitizer have no cache: there these tests are compiled and not run.
#if defined(__SANITIZE_ADDRESS__)
#define GRADWALK_CACHE_TEST(name) [[maybe_unused]] void name()
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GRADWALK_CACHE_TEST(name) [[maybe_unused]] void name()
#endif
#endif
#ifndef GRADWALK_CACHE_TEST
#define GRADWALK_CACHE_TEST(name) TEST(AllocatorCache, name)
#endif

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n < 1100; ++n) all.push_back(n);
  for (std::size_t power = 2048; power <= (std::size_t{1} << 26); power *= 2) {
    for (const std::size_t n :
         {power - 1, power, power + 1, power + power / 4, power * 3 / 2 + 1}) {
      all.push_back(n);
    }
  }
  return all;
}

TEST(Allocator, BlocksAreAlignedAndAtMostAFifthUnused) {
  for (const std::size_t n : sizes()) {
    const std::int64_t before = memory_stats().used_bytes;
    void* block = allocate_block(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U) << n;
    const auto rounded = static_cast<std::size_t>(memory_stats().used_bytes - before);
    EXPECT_GE(rounded, n);
    EXPECT_LE(static_cast<double>(rounded - n), std::max(64.0, 0.2 * static_cast<double>(rounded)))
        << n;
    free_block(block, n);
    EXPECT_EQ(memory_stats().used_bytes, before);
  }
}

// Activations and weights mostly are: a step up for the header would cost a sixth of all memory.
TEST(Allocator, ATensorOfAWholeStepWastesNothing) {
  for (const std::int64_t count : {1 << 10, 3 << 17, 1 << 20}) {
    const std::int64_t before = memory_stats().used_bytes;
    const Tensor x("x", {count}, DType::kFloat32);
    EXPECT_EQ(memory_stats().used_bytes - before, 4 * count + 64) << count;
  }
}

// Each block is filled with a byte of its own: two that overlap would show it.
TEST(Allocator, BlocksDoNotOverlap) {
  struct Block {
    unsigned char* data;
    std::size_t bytes;
  };
  for (int round = 0; round < 3; ++round) {
    std::vector<Block> blocks;
    for (int copy = 0; copy < 3; ++copy) {
      for (const std::size_t n : sizes()) {
        if (n > 100000) continue;
        blocks.push_back({static_cast<unsigned char*>(allocate_block(n)), n});
        std::memset(blocks.back().data, static_cast<int>(blocks.size() % 251), n);
      }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t k = 0; k < blocks[i].bytes; ++k) {
        ASSERT_EQ(blocks[i].data[k], (i + 1) % 251) << i << " at " << k;
      }
      free_block(blocks[i].data, blocks[i].bytes);
    }
  }
}

GRADWALK_CACHE_TEST(AFreedBlockIsHandedOutAgain) {
  for (const std::size_t n : std::initializer_list<std::size_t>{100, 5000, 3 << 20}) {
    void* first = allocate_block(n);
    free_block(first, n);
    void* second = allocate_block(n);
    EXPECT_EQ(first, second) << n;
    free_block(second, n);
  }
}

// What a training step does: tensors of all sizes come and go, and the system is not asked again.
GRADWALK_CACHE_TEST(TheSteadyStateAsksTheSystemForNothing) {
  const auto step = [] {
    std::vector<Tensor> kept;
    for (std::int64_t n = 1; n < 400'000; n = n * 3 / 2 + 1) {
      const Tensor x = ones({n});
      kept.push_back(x + x);
      for (int i = 0; i < 20; ++i) kept.push_back(ones({n % 100}));
    }
  };
  step();
  step();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 50; ++i) step();
  EXPECT_EQ(memory_stats().system_allocations, before.system_allocations);
  EXPECT_EQ(memory_stats().system_bytes, before.system_bytes);
  EXPECT_EQ(memory_stats().used_bytes, before.used_bytes);
}

// One thread makes what another drops: the blocks must find their way back.
GRADWALK_CACHE_TEST(BlocksFreedByAnotherThreadComeBack) {
  const auto round = [] {
    std::vector<Tensor> made;
    for (int i = 0; i < 300; ++i) made.push_back(ones({10'000}));
    std::thread([&made] { made.clear(); }).join();
  };
  round();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(memory_stats().system_bytes, before.system_bytes);
  EXPECT_EQ(memory_stats().used_blocks, before.used_blocks);
}

GRADWALK_CACHE_TEST(AThreadThatEndsLeavesItsBlocksToTheOthers) {
  const auto work = [] { const std::vector<Tensor> some(3, ones({500'000}) + 1.0); };
  std::thread(work).join();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 20; ++i) std::thread(work).join();
  EXPECT_EQ(memory_stats().system_bytes, before.system_bytes);
  EXPECT_EQ(memory_stats().used_blocks, before.used_blocks);
  EXPECT_EQ(memory_stats().used_bytes, before.used_bytes);
}

// A tensor in a thread_local object goes after the thread's cache was closed.
TEST(Allocator, ATensorMayOutliveItsThreadsCache) {
  const std::int64_t before = memory_stats().used_blocks;
  std::thread([] {
    static thread_local Tensor kept;
    kept = ones({100});
  }).join();
  EXPECT_EQ(memory_stats().used_blocks, before);
}

TEST(Allocator, ThreadsShareThePool) {
  const MemoryStats before = memory_stats();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<Tensor> kept(16);
      for (std::size_t i = 0; i < 4000; ++i) {
        const auto n = static_cast<std::int64_t>(i * 37 % 3000);
        kept[i % 16] = full({n}, t);
        const Tensor& old = kept[(i + 5) % 16];
        if (old.defined() && old.numel() > 0) {
          ASSERT_EQ(old.at({old.numel() - 1}), t);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory_stats().used_blocks, before.used_blocks);
  EXPECT_EQ(memory_stats().used_bytes, before.used_bytes);
}

GRADWALK_CACHE_TEST(FreeMemoryGoesBackWhenAsked) {
  { const Tensor large = ones({50'000'000}); }
  const Tensor kept = full({1000}, 3);  // alive while the large one goes back
  const MemoryStats before = memory_stats();
  EXPECT_GE(before.system_bytes, 200'000'000);
  release_free_memory();
  EXPECT_LE(memory_stats().system_bytes, before.system_bytes - 200'000'000);
  EXPECT_GE(memory_stats().system_bytes, memory_stats().used_bytes);
  EXPECT_EQ(kept.at({999}), 3);
  const std::int64_t least = memory_stats().system_bytes;
  release_free_memory();
  EXPECT_EQ(memory_stats().system_bytes, least);
  EXPECT_EQ((ones({50'000'000}) + kept.at({0})).at({49'999'999}), 4);
}

TEST(Allocator, PeakIsTheMostAtOneTime) {
  reset_peak_memory();
  const std::int64_t before = memory_stats().used_bytes;
  EXPECT_EQ(memory_stats().peak_used_bytes, before);
  {
    const Tensor a = ones({1000, 1000});
    const Tensor b = ones({1000, 1000});
  }
  { const Tensor c = ones({1000, 1000}); }
  const std::int64_t peak = memory_stats().peak_used_bytes - before;
  EXPECT_GE(peak, 8'000'000);
  EXPECT_LE(peak, 10'100'000);
  reset_peak_memory();
  EXPECT_EQ(memory_stats().peak_used_bytes, before);
}

GRADWALK_CACHE_TEST(MoreThanTheSystemHasIsBadAlloc) {
  const MemoryStats before = memory_stats();
  EXPECT_THROW(allocate_block(std::size_t{1} << 47), std::bad_alloc);
  EXPECT_THROW(allocate_block(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_THROW(allocate_block(~std::size_t{0}), std::bad_alloc);
  EXPECT_EQ(memory_stats().used_blocks, before.used_blocks);
  EXPECT_EQ(memory_stats().used_bytes, before.used_bytes);
  EXPECT_EQ(ones({3}).at({2}), 1);
}

}  // namespace
}  // namespace gradwalk
