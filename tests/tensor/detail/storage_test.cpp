#include "tensor/detail/storage.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

std::uintptr_t address(const Tensor& x) {
  return reinterpret_cast<std::uintptr_t>(x.storage()->data());
}

TEST(Storage, DataIsAlignedTo64Bytes) {
  for (std::int64_t n = 0; n < 70; ++n) EXPECT_EQ(address(zeros({n})) % 64, 0U) << n;
  EXPECT_EQ(address(zeros({3}, DType::kBool)) % 64, 0U);
}

TEST(Storage, HoldsTheBytesThatTheShapeSays) {
  EXPECT_EQ(zeros({3, 5}).storage()->bytes(), 60);
  EXPECT_EQ(zeros({3}, DType::kFloat64).storage()->bytes(), 24);
  EXPECT_EQ(zeros({3}, DType::kBool).storage()->bytes(), 3);
  EXPECT_EQ(zeros({0, 3}).storage()->bytes(), 0);
}

TEST(Storage, LiveCountAndBytesFollowEveryHandle) {
  const std::int64_t count = memory_stats().used_blocks;
  const std::int64_t bytes = memory_stats().used_bytes;
  {
    const Tensor x = zeros({10});
    EXPECT_EQ(memory_stats().used_blocks, count + 1);
    EXPECT_EQ(memory_stats().used_bytes, bytes + 128);  // the header's 64 and 40, rounded up
    Tensor view = slice(x, 0, 2, 4);
    Tensor copy = view;
    EXPECT_EQ(memory_stats().used_blocks, count + 1);
    copy = clone(x);
    EXPECT_EQ(memory_stats().used_blocks, count + 2);
    view = Tensor();
    copy = std::move(view);
    EXPECT_EQ(memory_stats().used_blocks, count + 1);
  }
  EXPECT_EQ(memory_stats().used_blocks, count);
  EXPECT_EQ(memory_stats().used_bytes, bytes);
}

TEST(Storage, ViewKeepsTheStorageAlive) {
  const Tensor row = select(matrix({{1, 2}, {3, 4}}), 0, 1);
  EXPECT_EQ(row.at({1}), 4);
}

TEST(Storage, SelfAssignmentKeepsTheValue) {
  Tensor x = vector({1, 2});
  const Tensor& same = x;
  x = same;
  EXPECT_EQ(x.at({1}), 2);
  EXPECT_TRUE(x.storage().unique());
}

TEST(Storage, UniqueMeansOneHandle) {
  const Tensor x = vector({1, 2});
  EXPECT_TRUE(x.storage().unique());
  const Tensor view = slice(x, 0, 0, 1);
  EXPECT_FALSE(x.storage().unique());
}

TEST(Storage, VersionRisesWithWritesThroughAnyView) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const Tensor row = select(x, 0, 1);
  std::uint64_t version = x.version();
  fill(row, 0);
  EXPECT_GT(x.version(), version);
  EXPECT_EQ(x.version(), row.version());
  version = x.version();
  add_into(x, 1);
  EXPECT_GT(x.version(), version);
  version = x.version();
  mul_into(x, 2);
  EXPECT_GT(x.version(), version);
  version = x.version();
  copy_into(transpose(x), x);
  EXPECT_GT(x.version(), version);
}

TEST(Storage, ReadingLeavesTheVersion) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const std::uint64_t version = x.version();
  (x + x).to_vector();
  clone(transpose(x));
  reshape(transpose(x), {4});
  EXPECT_EQ(x.at({1, 1}), 4);
  EXPECT_EQ(x.version(), version);
}

TEST(Storage, HandlesMayBeCopiedAndDroppedInAnyThread) {
  const std::int64_t count = memory_stats().used_blocks;
  {
    const Tensor x = zeros({4});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&x] {
        for (int turn = 0; turn < 2000; ++turn) {
          const Tensor copy = x;
          const Tensor own = clone(copy);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(x.storage().unique());
  }
  EXPECT_EQ(memory_stats().used_blocks, count);
}

}  // namespace
}  // namespace gradwalk
