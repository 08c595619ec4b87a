#include "bench/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bench/options.h"
#include "bench/workloads.h"
#include "tensor/create.h"

namespace gradwalk::bench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int code;
  std::string out, err;
};

Outcome call(const std::vector<std::string>& words, const Peers& peers = {}) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_bench(words, peers, out, err);
  return {code, out.str(), err.str()};
}

void expect_usage_error(const std::vector<std::string>& words, const std::string& text) {
  const Outcome outcome = call(words);
  EXPECT_EQ(outcome.code, 2) << text;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("gradwalk bench: " + text));
  EXPECT_THAT(outcome.err, HasSubstr("--help"));
}

TEST(BenchErrors, NameTheOptionAndWhatItGot) {
  expect_usage_error({"--threads=0"}, "--threads: expected a whole number from 1 to");
  expect_usage_error({"--threads=1,x"}, "--threads: expected a whole number from 1 to");
  expect_usage_error({"--min-time=0"}, "--min-time: expected milliseconds above 0");
  expect_usage_error({"--min-time=nan"}, "--min-time: expected milliseconds above 0");
  expect_usage_error({"--samples=2.5"}, "--samples: expected a whole number");
  expect_usage_error({"--filter=no-such-op"}, "--filter: no workload has 'no-such-op' in its name");
  expect_usage_error({"--json=/no/such/folder/x.json", "--filter=overhead.empty"},
                     "--json: cannot write '/no/such/folder/x.json'");
  expect_usage_error({"gemm"}, "expected options only, got 'gemm'");
  expect_usage_error({"--frobnicate"}, "");
}

TEST(BenchHelp, ListsTheOptions) {
  const Outcome outcome = call({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* option : {"--filter", "--threads", "--json", "--list", "--min-time"}) {
    EXPECT_THAT(outcome.out, HasSubstr(option));
  }
}

TEST(BenchList, HasTheWorkloadsThatTheFilterNames) {
  EXPECT_EQ(call({"--list", "--filter=transpose,softmax.fwd."}).out,
            "softmax.fwd.48x256x256\ntranspose.1024x1024\n");
}

TEST(BenchList, NamesEachWorkloadOnce) {
  std::set<std::string> names;
  const std::vector<Workload> all = all_workloads({});
  for (const Workload& workload : all) names.insert(workload.name);
  EXPECT_EQ(names.size(), all.size());
  for (const char* name :
       {"gemm.nn.4x4x4", "gemm.nt.64x64x32.b48", "gemm.nn.1x4096x4096",
        "attention.fwdbwd.B2H6T2048D64", "embedding.fwdbwd.2048of5000x384",
        "overhead.matmul.fwdbwd.1x1x4x4", "gpt.nano.fwdbwd", "decode.stories15m"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

// A library that cannot multiply 16 x 16, and sums the rest of its products to 0 without a check.
class BrokenPeer final : public Peer {
 public:
  std::string describe() const override { return "Broken 1.0"; }
  void set_threads(int) override {}
  std::vector<Contender> gemm(const Gemm& gemm) override {
    Contender way{"broken", [] {}};
    if (gemm.n == 16) way.result = []() -> Tensors { return {zeros({16, 16})}; };
    return {way};
  }
};

TEST(BenchRun, WritesTheFiguresAndFailsIfResultsDiffer) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("gradwalk_bench_test_" + std::to_string(getpid()) + ".json");
  const Outcome outcome =
      call({"--filter=overhead.add.fwd-nograd,gemm.nn.4x4x4,gemm.nn.16x", "--threads=1",
            "--min-time=0.01", "--samples=3", "--json=" + file.string()},
           {std::make_shared<BrokenPeer>()});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Broken 1.0\n"));
  EXPECT_THAT(outcome.out, HasSubstr("gemm, GFLOP/s, more is better"));
  EXPECT_THAT(outcome.out, HasSubstr("ERROR broken: result 0: "));
  EXPECT_THAT(outcome.out, HasSubstr("overhead, ns, less is better"));
  EXPECT_THAT(outcome.err, HasSubstr("[3/3] overhead.add.fwd-nograd.1x1x4x4"));

  std::ifstream stream(file);
  const auto record = nlohmann::json::parse(stream);
  std::filesystem::remove(file);
  EXPECT_EQ(record["schema"], 1);
  EXPECT_GT(record["machine"]["limits"]["1"]["fma_gflops"], 0);
  const auto& rows = record["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["better"], "higher");
  EXPECT_GT(rows[0]["ours"], 0);
  EXPECT_GT(rows[0]["naive"], 0);
  EXPECT_TRUE(rows[0]["peers"].contains("broken"));
  EXPECT_TRUE(rows[1]["ours"].is_null());
  EXPECT_EQ(rows[2]["better"], "lower");
  EXPECT_GT(rows[2]["ours"], 0);
}

}  // namespace
}  // namespace gradwalk::bench
