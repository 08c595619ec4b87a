// `run` is interrupted (SIGINT, SIGTERM) at random moments, again and again; each time it must say
// so, keep what is done, and go on from there to the record of a run that was left alone.
//
// GRADWALK_INTERRUPTS=50 asks for so many (6), GRADWALK_INTERRUPT_SEED=S for other moments (1).

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "lessons/driver/commands/driver_fixture.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using nlohmann::json;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

class Interrupt : public test::Driver {
 protected:
  // Training, its control, and a lesson whose steps build on each other.
  const std::vector<std::string> begin_ = {"run",     "2,4",         "--claim=B35,B8,A3",
                                           "--quick", "--threads=1", "--json=run.json"};
  const std::string kept_ = "results/interrupted-2,4.json";

  // A record without times and the number of threads, on which nothing else depends.
  json record(const std::string& name) const { return timeless(json::parse(content(name))); }
  static json timeless(json value) {
    if (value.is_object()) {
      value.erase("seconds");
      value.erase("threads");
    }
    if (value.is_structured()) {
      for (json& part : value) part = timeless(part);
    }
    return value;
  }
};

TEST_F(Interrupt, ARunGoesOnFromWhereItWasStopped) {
  const int interrupts = test::from_environment("GRADWALK_INTERRUPTS", 6);
  const int seed = test::from_environment("GRADWALK_INTERRUPT_SEED", 1);
  const microseconds cold = time_of(begin_);
  const microseconds window = std::min(cold, time_of(begin_));
  const json whole = record("run.json");
  const json ledger = record("results/ledger.json");
  std::filesystem::remove_all(folder_ / "results");
  std::vector<std::string> resume = begin_;
  resume.push_back("--resume=" + kept_);

  Generator generator(static_cast<std::uint64_t>(seed), "moments");
  std::vector<std::size_t> steps;
  int too_late = 0;
  bool kept = false;
  std::size_t done_before = 0;  // steps, in the run that is under way
  const auto finished = [&] {
    EXPECT_TRUE(record("run.json") == whole);
    EXPECT_TRUE(record("results/ledger.json") == ledger);
    std::filesystem::remove_all(folder_ / "results");
    kept = false;
    done_before = 0;
  };
  for (int done = 0; done < interrupts;) {
    const pid_t child = start(kept ? resume : begin_);
    std::this_thread::sleep_for(microseconds(generator.below(window.count())));
    const bool terminate = done % 3 == 2;
    kill(child, terminate ? SIGTERM : SIGINT);
    const int code = wait_for(child);
    if (code == 0) {
      ++too_late;
      finished();
      continue;
    }
    ++done;
    ASSERT_EQ(code, terminate ? 143 : 130) << content("log");
    // Before main has begun there is nobody to catch it.
    if (content("log").empty()) continue;
    kept = true;
    EXPECT_THAT(content("log"), HasSubstr("to go on: "));
    const json stopped = record(kept_);
    EXPECT_EQ(stopped.at("complete"), false);
    EXPECT_TRUE(record("run.json") == stopped);
    steps.push_back(stopped.at("steps").size());
    EXPECT_GE(steps.back(), done_before) << "what was done is kept";
    done_before = steps.back();
  }
  if (kept) {
    const std::string log = content("log");
    const std::string command = "to go on: ./gradwalk ";
    const std::size_t at = log.find(command) + command.size();
    sh("$G " + log.substr(at, log.find('\n', at) - at) + " --json=run.json 2>&1");
    EXPECT_EQ(code_, 0);
    finished();
  }
  std::cout << fmt::format(
      "{} interrupts (seed {}, within {} ms of a start), {} runs ended before "
      "theirs; the records had {} steps\n",
      interrupts, seed, window.count() / 1000, too_late, fmt::join(steps, " "));
}

// Nobody reads the pipe, so the run waits for ever, also after the first signal.
TEST_F(Interrupt, ASecondSignalEndsARunAtOnce) {
  std::array<int, 2> output;
  ASSERT_EQ(pipe(output.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(output[1], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    const int size = fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 4096);
    if (size > 0 && chdir(folder_.c_str()) == 0) {
      execl(GRADWALK_DRIVER, "gradwalk", "run", "4", nullptr);
    }
    _exit(99);
  }
  const auto waits = [&] {
    int bytes = 0;
    ioctl(output[0], FIONREAD, &bytes);
    return bytes >= 3000 && waitpid(child, nullptr, WNOHANG) == 0;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!waits() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  std::this_thread::sleep_for(milliseconds(100));
  kill(child, SIGINT);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_TRUE(waits());
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results"));
  close(output[0]);
  close(output[1]);
}

}  // namespace
}  // namespace gradwalk
