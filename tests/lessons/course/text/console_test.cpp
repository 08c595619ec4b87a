#include "lessons/course/text/console.h"

#include <gtest/gtest.h>

#include <map>

namespace gradwalk::course {
namespace {

Console console_with(std::map<std::string, std::string> variables) {
  Console console;
  console.utf8 = true;
  console.variable = [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  return console;
}

TEST(Display, ColourFollowsOptionThenNoColorThenForceColorThenTheTerminal) {
  const Console plain = console_with({});
  EXPECT_TRUE(display_for({}, plain, true).color);
  EXPECT_FALSE(display_for({}, plain, false).color);
  EXPECT_FALSE(display_for({}, console_with({{"TERM", "dumb"}}), true).color);
  EXPECT_TRUE(display_for({}, console_with({{"FORCE_COLOR", "1"}}), false).color);
  const Console both = console_with({{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}});
  EXPECT_FALSE(display_for({}, both, true).color);
  EXPECT_TRUE(display_for({"always", false, 0}, both, false).color);
  EXPECT_FALSE(display_for({"never", false, 0}, console_with({{"FORCE_COLOR", "1"}}), true).color);
  EXPECT_TRUE(display_for({}, console_with({{"NO_COLOR", ""}}), true).color) << "empty: not set";
}

TEST(Display, IsAsciiWhenAskedOrWhenTheLocaleIsNotUtf8) {
  Console console = console_with({});
  EXPECT_FALSE(display_for({}, console, true).ascii);
  EXPECT_TRUE(display_for({"auto", true, 0}, console, true).ascii);
  console.utf8 = false;
  EXPECT_TRUE(display_for({}, console, true).ascii);
}

TEST(Display, WidthIsTheOptionsThenTheTerminalsThenEighty) {
  Console console = console_with({});
  EXPECT_EQ(display_for({}, console, true).width, 80);
  console.terminal_width = 132;
  EXPECT_EQ(display_for({}, console, true).width, 132);
  EXPECT_EQ(display_for({"auto", false, 100}, console, true).width, 100);
  EXPECT_EQ(display_for({"auto", false, 20}, console, true).width, 60);
  EXPECT_EQ(display_for({"auto", false, 500}, console, true).width, 160);
}

}  // namespace
}  // namespace gradwalk::course
