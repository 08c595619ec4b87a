#include "lessons/course/engine/stopwatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace gradwalk::course {
namespace {

TEST(TimeRuns, RunsOnceMoreThanItTimes) {
  int calls = 0;
  const Times times = time_runs(3, [&] { ++calls; });
  EXPECT_EQ(calls, 4);
  EXPECT_LE(0, times.least);
  EXPECT_LE(times.least, times.median);
  EXPECT_LE(times.median, times.most);
}

TEST(TimeRuns, NeedsAMedian) {
  EXPECT_THAT([] { time_runs(2, [] {}); }, testing::ThrowsMessage<std::invalid_argument>(
                                               "time_runs: expected an odd number of runs, got 2"));
}

}  // namespace
}  // namespace gradwalk::course
