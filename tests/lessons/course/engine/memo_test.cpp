#include "lessons/course/engine/memo.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace gradwalk::course {
namespace {

TEST(Memo, MakesEachValueOnce) {
  Memo<std::string, int> memo;
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(memo("a", make), 1);
  EXPECT_EQ(memo("b", make), 2);
  EXPECT_EQ(memo("a", make), 1);
}

TEST(Memo, KeepsNothingOfWhatWasBrokenOff) {
  Memo<int, int> memo;
  EXPECT_THROW(memo(1, []() -> int { throw std::runtime_error("stop"); }), std::runtime_error);
  EXPECT_EQ(memo(1, [] { return 7; }), 7);
}

}  // namespace
}  // namespace gradwalk::course
