// The built driver as a process: signals, closed pipes, and lesson 4 as a whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "lessons/course/catalogue.h"
#include "lessons/course/lesson_table.h"
#include "lessons/course/outcome.h"
#include "lessons/course/session.h"

namespace gradwalk {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Driver : public testing::Test {
 protected:
  Driver() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("gradwalk_driver_" + std::to_string(getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  ~Driver() override { std::filesystem::remove_all(folder_); }

  /// Runs a shell line in which $G is the driver; gives its standard output and sets code_.
  std::string sh(const std::string& line) {
    const std::string command =
        "cd '" + folder_.string() + "' && G='" + std::string(GRADWALK_DRIVER) + "' && " + line;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> chunk;
    for (std::size_t got; (got = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
      output.append(chunk.data(), got);
    }
    const int status = pclose(pipe);
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return output;
  }

  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  int code_ = -1;
};

TEST_F(Driver, RunsLessonFourAsCatalogued) {
  const std::string text = sh("$G run 4 --quick 2>&1");
  EXPECT_EQ(code_, 0) << text;
  EXPECT_THAT(text, HasSubstr("4 of 4 decided   exit 0"));
}

TEST_F(Driver, EveryBreakOfLessonFourFlipsExactlyItsClaims) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  for (const course::CatalogueBreak& one : catalogue.breaks) {
    const std::string text =
        sh("$G run " + std::to_string(one.lesson) + " --break=" + one.name + " 2>&1");
    EXPECT_EQ(code_, 0) << one.name << "\n" << text;
  }
}

TEST_F(Driver, EveryTryLineOfTheCourseWorks) {
  const std::string launcher = "./gradwalk ";
  const nlohmann::json record = nlohmann::json::parse(sh("$G run all --json=- 2>err.txt"));
  int lines = 0;
  for (const auto& step : record.at("steps")) {
    for (const std::string line : step.at("try")) {
      ASSERT_EQ(line.substr(0, launcher.size()), launcher) << line;
      const std::string text = sh("$G " + line.substr(launcher.size()) + " 2>&1 </dev/null");
      EXPECT_EQ(code_, 0) << line << "\n" << text;
      ++lines;
    }
  }
  EXPECT_GE(lines, static_cast<int>(record.at("steps").size()));
}

TEST_F(Driver, OutputIsTheSameForOneAndTwoThreads) {
  const std::string one = sh("$G run 4 --threads=1 --color=never");
  EXPECT_EQ(sh("$G run 4 --threads=2 --color=never"), one);
}

TEST_F(Driver, NoEscapesInAPipeAndSevenBitsWhenAsked) {
  const std::string text = sh("LC_ALL=C.UTF-8 $G run 4 --ascii");
  for (const char c : text) {
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
    ASSERT_NE(c, '\x1b');
  }
  EXPECT_EQ(sh("LC_ALL=C $G run 4"), text) << "a locale without UTF-8 means the same";
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
  EXPECT_EQ(nlohmann::json::parse(text).at("claims").size(), 4U);
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
  EXPECT_EQ(nlohmann::json::parse(content("run.json")).at("complete"), false);
  EXPECT_THAT(content("out.txt"), HasSubstr("interrupted"));
}

TEST(LessonFour, ExplainsEveryElementOfEveryTensor) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  for (const course::LessonFactory& factory : lessons::lesson_table()) {
    course::Session session(factory, catalogue, {});
    while (!session.done()) session.advance();
    session.finish("");
    EXPECT_THAT(course::verify_explanations(session.record()), IsEmpty());
  }
}

TEST(EveryClaim, IsVacuousWithoutItsCases) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  for (const course::LessonFactory& factory : lessons::lesson_table()) {
    course::Session session(factory, catalogue, {});
    while (!session.done()) session.advance();
    session.finish("");
    const course::RunRecord& record = session.record();
    EXPECT_EQ(course::exit_of(record, catalogue), course::Exit::kOk);
    for (const course::ClaimRecord* claim : course::claims_of(record)) {
      EXPECT_TRUE(claim->control.flipped) << claim->id;
      course::ClaimRecord without = *claim;
      without.cases = 0;
      EXPECT_EQ(decide(without, claim->expected_verdict), course::Verdict::kVacuous) << claim->id;
    }
  }
}

}  // namespace
}  // namespace gradwalk
