#include "nn/training/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stdexcept>

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

std::vector<std::int64_t> counted(std::int64_t n) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

TEST(SplitTokens, NineTenthsTrain) {
  for (const auto& [n, train] : {std::pair(0, 0), {1, 0}, {9, 8}, {10, 9}, {19, 17}, {1000, 900}}) {
    const TokenSplit split = split_tokens(counted(n));
    EXPECT_EQ(split.train, counted(train)) << n;
    EXPECT_EQ(split.validation.size(), static_cast<std::size_t>(n - train)) << n;
    EXPECT_TRUE(n == 0 || split.validation.back() == n - 1);
  }
}

TEST(DrawBatch, WindowsFromEveryPlaceWithTheNextTokensAsTargets) {
  const std::vector<std::int64_t> ids = counted(10);
  Generator generator(1, "batches");
  std::set<double> begins;
  for (int i = 0; i < 50; ++i) {
    const TokenBatch batch = draw_batch(ids, 2, 4, generator);
    ASSERT_EQ(batch.inputs.shape(), (Shape{2, 4}));
    ASSERT_EQ(batch.targets.shape(), (Shape{2, 4}));
    for (std::int64_t row = 0; row < 2; ++row) {
      const double begin = batch.inputs.at({row, 0});
      begins.insert(begin);
      for (std::int64_t t = 0; t < 4; ++t) {
        EXPECT_EQ(batch.inputs.at({row, t}), begin + static_cast<double>(t));
        EXPECT_EQ(batch.targets.at({row, t}), begin + static_cast<double>(t) + 1);
      }
    }
  }
  EXPECT_EQ(begins, (std::set<double>{0, 1, 2, 3, 4, 5}));  // the last target is the last token
}

TEST(DrawBatch, RefusesSizesThatDoNotFit) {
  const std::vector<std::int64_t> ids = counted(4);
  Generator generator(1, "batches");
  EXPECT_NO_THROW(draw_batch(ids, 1, 3, generator));
  EXPECT_THAT([&] { draw_batch(ids, 1, 4, generator); },
              ThrowsMessage<std::invalid_argument>("draw_batch: expected batch, context >= 1 and "
                                                   "more than context tokens, got 1, 4 and 4"));
  EXPECT_THROW(draw_batch(ids, 0, 3, generator), std::invalid_argument);
  EXPECT_THROW(draw_batch(ids, 1, 0, generator), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
