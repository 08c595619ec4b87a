#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "lessons/driver/run/context.h"
#include "lessons/fake_lesson.h"

namespace gradwalk::test {

/// Runs commands in this process and in a folder of their own, on the fake lesson or on others, and
/// keeps what they wrote.
class CommandTest : public testing::Test {
 protected:
  CommandTest() : before_(std::filesystem::current_path()) {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::temp_directory_path() /
              ("gradwalk_" + std::to_string(getpid()) + "_" + name);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~CommandTest() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  /// The exit code of one command line.
  int call(const std::vector<std::string>& words, const Fake& fake = {}, bool single = false) {
    return call_on({fake_factory(fake)}, fake_catalogue(), words, single);
  }

  int call_on(const std::vector<course::LessonFactory>& lessons, const course::Catalogue& catalogue,
              const std::vector<std::string>& words, bool single = false) {
    out_.clear();
    err_.clear();
    course::Console console;
    console.out = [this](std::string_view text) { out_ += text; };
    console.err = [this](std::string_view text) { err_ += text; };
    console.variable = [](const char*) { return std::string(); };
    console.interrupted = [this] { return signal_after_ <= 0 ? signal_ : (--signal_after_, 0); };
    console.read_line = [this]() -> std::optional<std::string> {
      if (typed_.empty()) return std::nullopt;
      std::string line = typed_.front();
      typed_.pop_front();
      return line;
    };
    console.utf8 = true;
    const commands::Context context{console, catalogue, lessons, single};
    return static_cast<int>(commands::dispatch(context, words));
  }

  std::string out_;
  std::string err_;
  std::deque<std::string> typed_;
  int signal_ = 0;
  int signal_after_ = 0;  ///< how often "interrupted?" is asked before the signal comes
  std::filesystem::path folder_;

 private:
  std::filesystem::path before_;
};

}  // namespace gradwalk::test
