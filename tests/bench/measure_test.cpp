#include "bench/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "tensor/create.h"

namespace gradwalk::bench {
namespace {

using testing::HasSubstr;

constexpr double kTolerance = 1e-5;

TEST(Difference, IsRelativeToTheLargestOfEachResult) {
  const Tensors want{vector({100, 1}), vector({1e-3})};
  EXPECT_EQ(difference({vector({100, 1.0009}), vector({1e-3})}, want, kTolerance), "");
  EXPECT_EQ(difference({vector({100, 1.002}), vector({1e-3})}, want, kTolerance),
            "result 0: 0.002 apart, largest 100, allowed 1e-05 of it");
  EXPECT_THAT(difference({vector({100, 1}), vector({1.1e-3})}, want, kTolerance),
              HasSubstr("result 1: 0.0001 apart"));
}

TEST(Difference, SeesNaNAndWhatIsMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference({vector({nan, 1})}, {vector({nan, 1})}, kTolerance), "result 0: not finite");
  EXPECT_EQ(difference({vector({1, nan})}, {vector({1, 1})}, kTolerance), "result 0: not finite");
  EXPECT_EQ(difference({vector({1})}, {vector({1, 1})}, kTolerance),
            "result 0: [1] in place of [2]");
  EXPECT_EQ(difference({}, {vector({1})}, kTolerance), "0 results in place of 1");
}

TEST(Difference, AllowsThatNaiveLoopsDidOnlyTheFirstRows) {
  EXPECT_EQ(difference({vector({1, 2, 3})}, {vector({1, 2})}, kTolerance), "");
}

class Measure : public testing::Test {
 protected:
  static void SetUpTestSuite() { initialize_measuring("test_bench"); }

  static void wait(int microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }
  static Contender sleeper(const char* name, int microseconds, double result) {
    return {name, [=] { wait(microseconds); }, [=]() -> Tensors { return {vector({result})}; }};
  }
  static std::vector<Row> run(const std::vector<Contender>& contenders, std::vector<int> threads) {
    const Workload workload{"sleep", kMicroseconds, 1, kTolerance, [=] { return contenders; }};
    const MeasureOptions options{threads, /*min_time=*/1e-4, /*samples=*/3};
    return measure(workload, options, [](int) {});
  }
};

TEST_F(Measure, TimesEachContender) {
  const std::vector<Row> rows = run({{"limit", [] { wait(100); }},
                                     sleeper("ours", 400, 1),
                                     sleeper("naive", 1600, 1),
                                     sleeper("peer", 800, 1)},
                                    {1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].workload, "sleep");
  EXPECT_EQ(rows[0].error, "");
  // Sleeping takes no processor's time, which stands in where every sample was disturbed.
  if (rows[0].unclean.empty()) {
    EXPECT_GE(rows[0].ours, 400);
    EXPECT_GE(rows[0].naive, 1600);
    EXPECT_GE(rows[0].peers.at("peer"), 800);
    EXPECT_GE(rows[0].limit, 100);
  }
}

TEST_F(Measure, NaiveLoopsAreTimedOnceForAllNumbersOfThreads) {
  int calls_with_two = 0;
  int threads_now = 0;
  const Contender naive{"naive", [&] { calls_with_two += threads_now == 2 ? 1 : 0; }};
  const Workload workload{"w", kMicroseconds, 1, kTolerance, [&] {
                            return std::vector<Contender>{sleeper("ours", 10, 1), naive};
                          }};
  const std::vector<Row> rows =
      measure(workload, {{1, 2}, 1e-5, 3}, [&](int threads) { threads_now = threads; });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].threads, 2);
  EXPECT_EQ(calls_with_two, 0);
  EXPECT_EQ(rows[0].naive, rows[1].naive);
}

TEST_F(Measure, APartIsScaledUp) {
  Contender part = sleeper("naive", 200, 1);
  part.share = 0.25;
  const std::vector<Row> rows = run({sleeper("ours", 100, 1), part}, {1});
  ASSERT_EQ(rows.size(), 1U);
  if (rows[0].unclean.empty()) {
    EXPECT_GE(rows[0].naive, 800);
  }
}

TEST_F(Measure, ResultsThatDifferAreAnErrorAndNothingIsTimed) {
  const std::vector<Row> rows = run({sleeper("ours", 10, 1), sleeper("peer", 10, 1.5)}, {1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].error, "peer: result 0: 0.5 apart, largest 1, allowed 1e-05 of it");
  EXPECT_EQ(rows[0].ours, std::nullopt);
  EXPECT_TRUE(rows[0].peers.empty());
}

TEST_F(Measure, TheNaiveLoopsDecideWhoIsWrong) {
  const std::vector<Row> rows = run({sleeper("ours", 10, 1.5), sleeper("naive", 10, 1)}, {1});
  EXPECT_THAT(rows.at(0).error, HasSubstr("ours: result 0"));
}

TEST_F(Measure, AnExceptionIsARowsError) {
  const Contender broken{"ours", [] {}, []() -> Tensors { throw std::runtime_error("no memory"); }};
  EXPECT_EQ(run({broken}, {1}).at(0).error, "no memory");
}

TEST_F(Measure, AReadingIsTakenAsItIs) {
  Contender reading{"ours", {}};
  reading.reading = [] { return 42.0; };
  EXPECT_EQ(run({reading}, {1}).at(0).ours, 42);
}

}  // namespace
}  // namespace gradwalk::bench
