#include "lessons/course/text/shell_word.h"

#include <gtest/gtest.h>

namespace gradwalk::course {
namespace {

TEST(ShellWord, IsQuotedOnlyWhereAShellWouldChangeIt) {
  EXPECT_EQ(shell_word("--out=a/b_c-1.txt"), "--out=a/b_c-1.txt");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word("*"), "'*'");
}

TEST(LauncherCommand, BeginsWithTheLauncher) {
  EXPECT_EQ(launcher_command("run 4 --step"), "./gradwalk run 4 --step");
}

}  // namespace
}  // namespace gradwalk::course
