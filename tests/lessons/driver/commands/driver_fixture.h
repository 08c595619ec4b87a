#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gradwalk::test {

/// A whole number of the environment.
inline int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// The built driver, run as a process in a folder of its own.
class Driver : public testing::Test {
 protected:
  Driver() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::temp_directory_path() /
              ("gradwalk_driver_" + std::to_string(getpid()) + "_" + name);
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

  /// Starts the driver with these words; what it says goes to the file "log".
  pid_t start(std::vector<std::string> words) const {
    words.insert(words.begin(), "gradwalk");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int log = open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      if (chdir(folder_.c_str()) == 0) execv(GRADWALK_DRIVER, argv.data());
      _exit(99);
    }
    return child;
  }
  /// The exit code, or 128 and the signal that ended it.
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// How long a run that ends well takes.
  std::chrono::microseconds time_of(const std::vector<std::string>& words) const {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(wait_for(start(words)), 0) << content("log");
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 begin);
  }

  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  int code_ = -1;
};

}  // namespace gradwalk::test
