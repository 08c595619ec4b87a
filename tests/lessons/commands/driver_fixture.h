#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gradwalk::test {

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

  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  int code_ = -1;
};

}  // namespace gradwalk::test
