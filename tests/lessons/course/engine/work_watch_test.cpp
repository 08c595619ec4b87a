#include "lessons/course/engine/work_watch.h"

#include <gtest/gtest.h>

namespace gradwalk::course {
namespace {

class WorkWatchTest : public testing::Test {
 protected:
  WorkWatchTest() {
    console_.err = [this](std::string_view text) { written_ += text; };
    console_.interrupted = [this] { return signal_; };
  }

  Console console_;
  std::string written_;
  double now_ = 100;
  int signal_ = 0;
  WorkWatch watch_{console_, [this] { return now_; }};
};

TEST_F(WorkWatchTest, ShowsHowFarWorkIs) {
  watch_("train", 1, 101);
  now_ += 2;
  watch_("train", 51, 101);
  EXPECT_EQ(written_, "train   51/101  25.0 steps/s  eta 0:02\n");
}

TEST_F(WorkWatchTest, EachPieceOfWorkHasATimeOfItsOwn) {
  watch_("train", 1, 100);
  now_ += 2;
  watch_("test", 1, 100);
  watch_("test", 1, 100);  // and again from the start
  now_ += 0.9;
  watch_("test", 90, 100);
  EXPECT_EQ(written_, "") << "none of them has taken a second";
}

// As when the first models of the second piece are there already.
TEST_F(WorkWatchTest, AnotherTotalIsAnotherPiece) {
  watch_("train", 1, 400);
  watch_("train", 400, 400);
  watch_("train", 401, 6400);
  now_ += 2;
  watch_("train", 3200, 6400);
  EXPECT_EQ(written_, "train  3200/6400  1.4k steps/s  eta 0:03\n");
}

TEST_F(WorkWatchTest, WipesTheLineWhenWorkIsDone) {
  console_.err_is_terminal = true;
  watch_("train", 1, 100);
  now_ += 2;
  watch_("train", 50, 100);
  const std::size_t shown = written_.size() - 1;
  watch_("train", 100, 100);
  EXPECT_EQ(written_.substr(1 + shown), "\r" + std::string(shown, ' ') + "\r");
}

TEST_F(WorkWatchTest, AnInterruptEndsTheWork) {
  watch_("train", 1, 100);
  signal_ = 2;
  EXPECT_THROW(watch_("train", 2, 100), Interrupted);
}

}  // namespace
}  // namespace gradwalk::course
