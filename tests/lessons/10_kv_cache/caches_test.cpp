#include "lessons/10_kv_cache/caches.h"

#include <gtest/gtest.h>

namespace gradwalk::lesson_10 {
namespace {

TEST(Caches, SmallOnesHoldWhatCameHoweverTheyGrow) {
  for (const nn::CacheGrowth growth :
       {nn::CacheGrowth::kByOne, nn::CacheGrowth::kDoubling, nn::CacheGrowth::kPreallocated}) {
    const nn::KvCache cache = small_cache(growth, 5);
    EXPECT_EQ(cache.length(), 5);
    EXPECT_EQ(cache.bytes_used(), 5 * kSmallCacheBytes);
  }
  EXPECT_EQ(small_cache(nn::CacheGrowth::kByOne, 5).bytes_copied(),
            (1 + 2 + 3 + 4) * kSmallCacheBytes);
  EXPECT_TRUE(is_kept_by_layer_and_head());
}

// Known sizes with 16-bit numbers: 36 KiB a token for GPT-2, half a MiB for LLaMA 2.
TEST(Caches, OfPublishedModelsHaveTheirSizes) {
  const auto& models = published_models();
  EXPECT_EQ(bytes_per_token(models[0]), 36 * 1024);
  EXPECT_EQ(bytes_per_token(models[1]), 512 * 1024);
  EXPECT_EQ(bytes_per_token(models[2]), 128 * 1024);
  EXPECT_EQ(make_cache(models[0], 2, 3, DType::kFloat64).bytes_allocated(), 2 * 3 * 36 * 1024 * 4);
}

}  // namespace
}  // namespace gradwalk::lesson_10
