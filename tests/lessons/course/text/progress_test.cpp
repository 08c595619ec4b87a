#include "lessons/course/text/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gradwalk::course {
namespace {

using testing::HasSubstr;

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    console_.err = [this](std::string_view text) { err_ += text; };
  }
  Progress progress(std::int64_t done, std::int64_t total) {
    return {console_,
            {.name = "train",
             .done = done,
             .total = total,
             .units_per_step = 768,
             .unit = "characters"},
            [this] { return now_; }};
  }
  std::int64_t lines() const { return std::count(err_.begin(), err_.end(), '\n'); }

  Console console_;
  std::string err_;
  double now_ = 100;
};

TEST_F(ProgressTest, SaysWhereItIsHowFastAndWhenItEnds) {
  Progress work = progress(0, 2000);
  now_ += 16;
  work.show(412, "loss 2.310");
  EXPECT_EQ(err_, "train   412/2000  loss 2.310  19.8k characters/s  eta 1:02\n");
}

TEST_F(ProgressTest, SpeedIsThatOfThisProcess) {
  Progress work = progress(1000, 4600);
  now_ += 10;
  work.show(1001, "");
  EXPECT_EQ(err_, "train  1001/4600  76.8 characters/s  eta 9:59:50\n");
}

TEST_F(ProgressTest, WorkBelowASecondSaysNothing) {
  Progress work = progress(0, 10);
  for (int i = 1; i <= 10; ++i) {
    now_ += 0.099;
    work.show(i, "");
  }
  work.clear();
  EXPECT_EQ(err_, "");
}

TEST_F(ProgressTest, ElsewhereALinePerTenth) {
  Progress work = progress(0, 1000);
  for (int i = 1; i <= 1000; ++i) {
    now_ += 0.02;
    work.show(i, "");
  }
  EXPECT_EQ(lines(), 10);
  EXPECT_EQ(err_.find('\r'), std::string::npos);
}

TEST_F(ProgressTest, ElsewhereALinePerTenSeconds) {
  Progress work = progress(0, 1000000);
  for (int i = 1; i <= 1000; ++i) {
    now_ += 0.1;
    work.show(i, "");
  }
  EXPECT_GE(lines(), 9);
  EXPECT_LE(lines(), 10);
}

TEST_F(ProgressTest, ATerminalHasOneLineDrawnTenTimesASecondAtMost) {
  console_.err_is_terminal = true;
  console_.terminal_width = 50;
  Progress work = progress(0, 100000);
  for (int i = 1; i <= 3000; ++i) {
    now_ += 0.001;
    work.show(i, "a text that is far too long for so narrow a terminal");
  }
  EXPECT_EQ(lines(), 0);
  const auto drawn = std::count(err_.begin(), err_.end(), '\r');
  EXPECT_GE(drawn, 19);
  EXPECT_LE(drawn, 21);
  const std::size_t last = err_.rfind('\r');
  EXPECT_EQ(err_.size() - last - 1, 49U);
  err_.clear();
  work.clear();
  EXPECT_EQ(err_, "\r" + std::string(49, ' ') + "\r");
  err_.clear();
  work.clear();
  EXPECT_EQ(err_, "");
}

}  // namespace
}  // namespace gradwalk::course
