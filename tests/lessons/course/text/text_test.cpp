#include "lessons/course/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gradwalk::course {
namespace {

using testing::ElementsAre;

TEST(Wrap, BreaksAtBlanksAndKeepsThoseInside) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("a    b", 10), ElementsAre("a    b"));
  EXPECT_THAT(wrap("one     two", 5), ElementsAre("one", "two"));
  EXPECT_THAT(wrap("", 5), ElementsAre(""));
}

TEST(Wrap, CutsWordsThatAreTooLong) {
  EXPECT_THAT(wrap("abcdefgh ij", 5), ElementsAre("abcde", "fgh", "ij"));
}

TEST(Wrap, CountsCodePoints) { EXPECT_THAT(wrap("ää öö", 2), ElementsAre("ää", "öö")); }

TEST(Ascii, TurnsEveryCodePointIntoOneCharacter) {
  EXPECT_EQ(to_ascii("a─b│c"), "a-b|c");
  EXPECT_EQ(to_ascii("● × ü"), "o x ?");
}

TEST(Paint, WritesNoEscapesWithoutColour) {
  const Lines lines = {Line("x", styles::kGood)};
  EXPECT_EQ(paint(lines, {80, false, false}), "x\n");
  EXPECT_EQ(paint(lines, {80, true, false}), "\x1b[0;1;38;5;35mx\x1b[0m\n");
}

TEST(Paint, DropsTrailingBlanks) {
  Line line("x");
  line.pad_to(10);
  EXPECT_EQ(paint({line}, {}), "x\n");
}

TEST(SideBySide, PutsBlocksBesideEachOtherWhileTheyFit) {
  const Lines a = {Line("aa"), Line("a")};
  const Lines b = {Line("bb"), Line("bb"), Line("b")};
  EXPECT_EQ(paint(side_by_side({a, b}, 2, 10), {}), "aa  bb\na   bb\n    b\n");
  EXPECT_EQ(paint(side_by_side({a, b}, 2, 5), {}), "aa\na\nbb\nbb\nb\n");
}

}  // namespace
}  // namespace gradwalk::course
