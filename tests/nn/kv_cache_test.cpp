#include "nn/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

constexpr KvCacheOptions kSmall{
    .num_layers = 2, .batch = 2, .num_kv_heads = 3, .head_dim = 4, .capacity = 8};

Tensor positions(std::int64_t count, std::uint64_t seed) {
  Generator generator(seed, "positions");
  return normal({2, 3, count, 4}, generator);
}

// In pieces of 3, 1 and 4 positions, which make every way of growing grow.
TEST(KvCache, KeepsWhatIsPutInHoweverItGrows) {
  const Tensor keys = positions(8, 1);
  const Tensor values = positions(8, 2);
  for (const CacheGrowth growth :
       {CacheGrowth::kPreallocated, CacheGrowth::kDoubling, CacheGrowth::kByOne}) {
    KvCacheOptions options = kSmall;
    options.growth = growth;
    if (growth != CacheGrowth::kPreallocated) options.capacity = 1;
    KvCache cache(options);
    std::int64_t begin = 0;
    for (const std::int64_t count : {3, 1, 4}) {
      for (std::int64_t layer = 0; layer < 2; ++layer) {
        const double sign = layer == 0 ? 1 : -1;
        const KvCache::Entry entry =
            cache.append(layer, slice(keys, 2, begin, begin + count) * sign,
                         slice(values, 2, begin, begin + count) * sign);
        EXPECT_EQ(entry.keys.to_vector(), (slice(keys, 2, 0, begin + count) * sign).to_vector());
        EXPECT_EQ(entry.values.to_vector(),
                  (slice(values, 2, 0, begin + count) * sign).to_vector());
      }
      begin += count;
      EXPECT_EQ(cache.length(), begin);
    }
    EXPECT_EQ(cache.bytes_used(), 2 * 2 * 2 * 3 * 8 * 4 * 4);
    const bool doubles = growth == CacheGrowth::kDoubling;  // 1, 3, 6, 12
    EXPECT_EQ(cache.bytes_allocated(), cache.bytes_used() * (doubles ? 12 : 8) / 8);
  }
}

TEST(KvCache, RoomAsEachWayOfGrowingHasIt) {
  const auto room_after_five = [](CacheGrowth growth) {
    KvCacheOptions options = kSmall;
    options.growth = growth;
    options.capacity = growth == CacheGrowth::kPreallocated ? 8 : 1;
    KvCache cache(options);
    for (std::uint64_t i = 0; i < 5; ++i) cache.append(0, positions(1, i), positions(1, i));
    return (cache.bytes_allocated() / (2 * 2 * 3 * 4 * 4) - options.capacity);  // of layer 0
  };
  EXPECT_EQ(room_after_five(CacheGrowth::kPreallocated), 8);
  EXPECT_EQ(room_after_five(CacheGrowth::kDoubling), 8);  // 1, 2, 4, 8
  EXPECT_EQ(room_after_five(CacheGrowth::kByOne), 5);
}

// One layer of keys and values, 2 sequences, 3 heads of 4 numbers.
TEST(KvCache, CountsWhatIsCopiedToMakeRoom) {
  const auto positions_copied = [](CacheGrowth growth, std::int64_t capacity) {
    KvCacheOptions options = kSmall;
    options.growth = growth;
    options.capacity = capacity;
    KvCache cache(options);
    for (std::uint64_t i = 0; i < 5; ++i) cache.append(0, positions(1, i), positions(1, i));
    cache.truncate(0);  // forgetting copies nothing
    return cache.bytes_copied() / (2 * 2 * 3 * 4 * 4);
  };
  EXPECT_EQ(positions_copied(CacheGrowth::kPreallocated, 5), 0);
  EXPECT_EQ(positions_copied(CacheGrowth::kDoubling, 0), 1 + 2 + 4);
  EXPECT_EQ(positions_copied(CacheGrowth::kByOne, 0), 1 + 2 + 3 + 4);
}

TEST(KvCache, TruncateForgetsTheLastPositions) {
  KvCache cache(kSmall);
  const Tensor x = positions(4, 1);
  for (std::int64_t layer = 0; layer < 2; ++layer) cache.append(layer, x, x);
  cache.truncate(1);
  EXPECT_EQ(cache.length(1), 1);
  const Tensor y = positions(2, 2);
  const KvCache::Entry entry = cache.append(1, y, y);
  EXPECT_EQ(slice(entry.keys, 2, 0, 1).to_vector(), slice(x, 2, 0, 1).to_vector());
  EXPECT_EQ(slice(entry.keys, 2, 1, 3).to_vector(), y.to_vector());
  EXPECT_THAT([&] { cache.truncate(5); },
              ThrowsMessage<std::out_of_range>("KvCache: expected a length in [0, 1], got 5"));
}

TEST(KvCache, ReorderCopiesSequences) {
  KvCache cache(kSmall);
  const Tensor x = positions(3, 1);
  const Tensor y = positions(3, 2);
  for (std::int64_t layer = 0; layer < 2; ++layer) cache.append(layer, x, y);
  cache.reorder(std::array<std::int64_t, 2>{1, 1});
  for (std::int64_t b = 0; b < 2; ++b) {
    EXPECT_EQ(select(cache.entry(1).keys, 0, b).to_vector(), select(x, 0, 1).to_vector());
    EXPECT_EQ(select(cache.entry(0).values, 0, b).to_vector(), select(y, 0, 1).to_vector());
  }
  EXPECT_THAT(
      [&] { cache.reorder(std::array<std::int64_t, 1>{0}); },
      ThrowsMessage<std::invalid_argument>("KvCache: expected 2 indices, one a sequence, got 1"));
  EXPECT_THROW(cache.reorder(std::array<std::int64_t, 2>{0, 2}), std::out_of_range);
}

TEST(KvCacheError, LeavesTheCacheAsItWas) {
  KvCache cache(kSmall);
  const Tensor x = positions(5, 1);
  cache.append(0, x, x);
  EXPECT_THAT([&] { cache.append(0, positions(4, 2), positions(4, 2)); },
              ThrowsMessage<std::out_of_range>(
                  "KvCache: expected at most 8 positions, got 5 and 4 more; keys=[2, 3, 4, 4]"));
  EXPECT_THAT([&] { cache.append(2, x, x); },
              ThrowsMessage<std::out_of_range>("KvCache: expected layer in [0, 2), got 2"));
  EXPECT_THAT(
      [&] {
        cache.append(0, zeros({2, 3, 4}), x);
      },
      ThrowsMessage<ShapeError>("KvCache: expected keys [2, 3, T, 4], got [2, 3, 4]"));
  EXPECT_THAT([&] { cache.append(0, x, positions(4, 1)); },
              ThrowsMessage<ShapeError>(
                  "KvCache: expected keys and values of one shape, got [2, 3, 5, 4] and [2, 3, 4, "
                  "4]; keys=[2, 3, 5, 4] values=[2, 3, 4, 4]"));
  EXPECT_THAT([&] { cache.append(0, x, to(x, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(
                  "KvCache: expected values float32, got float64; values=[2, 3, 5, 4]"));
  EXPECT_EQ(cache.length(), 5);
  EXPECT_EQ(cache.entry(0).keys.to_vector(), x.to_vector());
  EXPECT_THROW(KvCache({.num_layers = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
