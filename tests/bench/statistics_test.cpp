#include "bench/statistics.h"

#include <gtest/gtest.h>

#include "bench/row.h"

namespace gradwalk::bench {
namespace {

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

constexpr double kClean = 0.001;
constexpr double kDisturbed = 0.5;

TEST(Summary, IsTheMedianOfCleanSamples) {
  const Summary summary =
      summarize({{1, 1, kClean}, {9, 9, kDisturbed}, {2, 2, kClean}, {3, 3, kClean}}, 1);
  EXPECT_EQ(summary.seconds, 2);
  EXPECT_TRUE(summary.clean);
}

TEST(Summary, WithoutCleanSamplesIsProcessorTimeOfOneThread) {
  const std::vector<Sample> samples{{10, 1, kDisturbed}, {20, 2, kDisturbed}, {5, 3, kClean}};
  EXPECT_EQ(summarize(samples, 1).seconds, 2);
  EXPECT_FALSE(summarize(samples, 1).clean);
  EXPECT_EQ(summarize(samples, 2).seconds, 5) << "of a team: the fastest sample";
}

TEST(Summary, OneSampleOfSomethingSlowIsEnoughIfClean) {
  EXPECT_TRUE(summarize({{4, 4, kClean}}, 2).clean);
}

TEST(Figure, IsARateOrATime) {
  EXPECT_EQ(to_figure(kGflops, /*amount=*/4, /*seconds=*/2), 2);
  EXPECT_EQ(to_figure(kMicroseconds, /*amount=*/1, /*seconds=*/2), 2e6);
  EXPECT_EQ(to_figure(kNanoseconds, /*amount=*/32, /*seconds=*/32e-9), 1);
}

TEST(Figure, OfAPartIsThatOfTheWhole) {
  // A quarter of the workload in a quarter of the time is the same speed.
  EXPECT_EQ(to_figure(kGflops, 4 * 0.25, 0.5), to_figure(kGflops, 4, 2));
  EXPECT_EQ(to_figure(kMicroseconds, 0.25, 0.5), to_figure(kMicroseconds, 1, 2));
}

Row row(const Unit& unit) {
  Row row{"w", 1, unit, {}, {}, {}, {}, {}, {}};
  row.ours = 20;
  row.naive = 5;
  row.peers = {{"libtorch", 8}, {"libtorch-out", 10}, {"eigen", 40}};
  row.limit = 25;
  return row;
}

TEST(Ratio, AboveOneMeansOursIsBetterWhicheverWayTheUnitGoes) {
  EXPECT_EQ(row(kGflops).ratio_best_peer(), 0.5);
  EXPECT_EQ(row(kMicroseconds).ratio_best_peer(), 0.4);
}

TEST(Ratio, IsTakenOfAPeersBestWay) {
  EXPECT_EQ(row(kGflops).best_of("libtorch"), 10);
  EXPECT_EQ(row(kMicroseconds).best_of("libtorch"), 8);
  EXPECT_EQ(row(kGflops).best_of("openblas"), std::nullopt);
}

TEST(Ratio, ShareOfTheLimitIsBelowOneBothWays) {
  EXPECT_EQ(row(kGflops).of_limit(), 0.8);
  Row slow = row(kMicroseconds);
  slow.limit = 5;
  EXPECT_EQ(slow.of_limit(), 0.25);
}

TEST(Ratio, IsOpenWithoutPeersOrOurs) {
  Row alone = row(kGflops);
  alone.peers.clear();
  EXPECT_EQ(alone.ratio_best_peer(), std::nullopt);
  Row missing = row(kGflops);
  missing.ours.reset();
  EXPECT_EQ(missing.ratio_best_peer(), std::nullopt);
  EXPECT_EQ(missing.of_limit(), std::nullopt);
}

}  // namespace
}  // namespace gradwalk::bench
