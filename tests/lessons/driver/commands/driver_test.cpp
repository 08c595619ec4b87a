// The built driver as a process: signals, closed pipes, and all lessons in one run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "lessons/course/engine/catalogue.h"
#include "lessons/driver/commands/driver_fixture.h"

namespace gradwalk {
namespace {

using nlohmann::json;
using test::Driver;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What runs all lessons; the sanitizers of .ci/run leave it out, as they do the lessons that train.
using AllLessons = Driver;

// A record without times: those of its steps, and what a step shows that measures some. Such a step
// has a number whose note begins with "clock".
json without_times(json value) {
  if (value.is_object()) {
    value.erase("seconds");
    value.erase("environment");
    bool clock = false;
    for (const json& number : value.value("numbers", json::array())) {
      clock = clock || number.value("note", "").starts_with("clock");
    }
    if (clock) {
      value.erase("numbers");
      value.erase("pictures");
    }
  }
  if (value.is_structured()) {
    for (json& part : value) part = without_times(part);
  }
  return value;
}

// Waiting threads that spin keep the cores of those that they wait for: beside one busy process a
// training took 3.4 times as long, beside four 13 times.
TEST_F(Driver, ItsWaitingThreadsSleepUnlessTheUserSaysOtherwise) {
  std::ofstream(folder_ / "text.txt") << std::string(5000, 'a') + std::string(5000, 'b');
  const auto settings_of_a_run = [&](const std::string& out) {
    std::filesystem::remove(folder_ / "log");
    const pid_t child = start({"train", "text.txt", "--out=" + out, "--steps=1000000"});
    for (int tries = 0; tries < 500 && content("log").find("step") == std::string::npos; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::ostringstream text;
    text << std::ifstream("/proc/" + std::to_string(child) + "/environ").rdbuf();
    kill(child, SIGKILL);
    wait_for(child);
    return text.str();
  };
  unsetenv("GOMP_SPINCOUNT");
  EXPECT_THAT(settings_of_a_run("one"), HasSubstr("GOMP_SPINCOUNT=300"));
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_THAT(settings_of_a_run("two"),
              AllOf(HasSubstr("OMP_WAIT_POLICY=active"), Not(HasSubstr("GOMP_SPINCOUNT"))));
  unsetenv("OMP_WAIT_POLICY");
}

// One test, since the course is run only once for the first three.
TEST_F(AllLessons, AreAsCataloguedInSevenBitsAndTheSameForTwoThreads) {
  const std::string claims =
      std::to_string(course::parse_catalogue(course::catalogue_json()).claims.size());
  const std::string text =
      sh("LC_ALL=C.UTF-8 $G run all --quick --threads=1 --ascii --json=one.json 2>err.txt");
  EXPECT_EQ(code_, 0) << text << content("err.txt");
  EXPECT_THAT(text, HasSubstr(claims + " of " + claims + " decided   exit 0"));
  for (const char c : text) {
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
    ASSERT_NE(c, '\x1b');
  }
  const json one = json::parse(content("one.json"));
  const json two = json::parse(sh("$G run all --quick --threads=2 --json=- 2>err.txt"));
  EXPECT_GE(one.at("steps").size(), 7U);
  EXPECT_TRUE(without_times(one) == without_times(two))
      << json::diff(without_times(one), without_times(two)).dump(1).substr(0, 2000);
}

TEST_F(AllLessons, OutputIsTheSameForOneAndTwoThreads) {
  const std::string one = sh("$G run 1-4 --quick --threads=1 --color=never 2>err.txt");
  EXPECT_EQ(sh("$G run 1-4 --quick --threads=2 --color=never 2>err.txt"), one);
}

TEST_F(AllLessons, ALocaleWithoutUtf8MeansAscii) {
  EXPECT_EQ(sh("LC_ALL=C $G run 1-4 --quick 2>err.txt"),
            sh("LC_ALL=C.UTF-8 $G run 1-4 --quick --ascii 2>err.txt"));
}

TEST_F(Driver, AStepTranscriptReadsFromAPipe) {
  const std::string text = sh("printf 't k\\nc k[1,0]\\nb\\nq\\n' | $G run 4 --step 2>&1");
  EXPECT_EQ(code_, 0) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("> t k\n  k [3,4]"), HasSubstr("> c k[1,0]\n  k[1,0] = sum_j"),
                          HasSubstr("> q\n"), HasSubstr("left with q")));
}

TEST_F(Driver, JsonOnStdoutIsJsonAlone) {
  const std::string text = sh("$G run 4 --json=- 2>err.txt");
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(json::parse(text).at("claims").size(), 4U);
  EXPECT_GT(std::filesystem::file_size(folder_ / "err.txt"), 100U);
}

TEST_F(Driver, AClosedPipeEndsQuietly) {
  sh("$G run 4 2>err.txt | head -n 1");
  EXPECT_EQ(std::filesystem::file_size(folder_ / "err.txt"), 0U);
}

TEST_F(Driver, ASignalAtThePromptStopsAndSaves) {
  std::array<int, 2> input;  // nobody writes, so the driver waits for a line
  ASSERT_EQ(pipe(input.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(input[0], STDIN_FILENO);
    close(input[1]);
    const bool ready =
        chdir(folder_.c_str()) == 0 && std::freopen("out.txt", "w", stdout) != nullptr;
    if (ready) {
      execl(GRADWALK_DRIVER, "gradwalk", "run", "4", "--step", "--json=run.json", nullptr);
    }
    _exit(99);
  }
  close(input[0]);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (content("out.txt").find("\n  try ") == std::string::npos &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  close(input[1]);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_EQ(json::parse(content("run.json")).at("complete"), false);
  EXPECT_THAT(content("out.txt"), HasSubstr("interrupted"));
}

}  // namespace
}  // namespace gradwalk
