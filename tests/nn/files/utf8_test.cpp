#include "nn/files/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace gradwalk::nn {
namespace {

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Utf8Step step = utf8_step(text, 0);
    ASSERT_TRUE(step.valid) << code_point_name(code);
    ASSERT_EQ(step.code, code);
    ASSERT_EQ(step.length, text.size());
    for (std::size_t n = 1; n < text.size(); ++n) {
      const Utf8Step part = utf8_step(text.substr(0, n), 0);
      ASSERT_TRUE(part.cut && !part.valid) << code_point_name(code);
    }
  }
}

TEST(Utf8, WhatIsNoCharacterTakesOneByte) {
  // A byte that only continues, overlong forms of two, three and four bytes, a surrogate, past
  // U+10FFFF, no lead at all, and a character that is broken off by another.
  for (const std::string text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE9\x9D!",
        "\xC3"
        "A"}) {
    const Utf8Step step = utf8_step(text, 0);
    EXPECT_FALSE(step.valid) << testing::PrintToString(text);
    EXPECT_FALSE(step.cut) << testing::PrintToString(text);
    EXPECT_EQ(step.length, 1u);
    EXPECT_EQ(step.code, kReplacementCharacter);
  }
}

// The bits of a code point in two to four bytes, whether or not that is a proper form of it.
std::string in_bytes(char32_t code, unsigned length) {
  std::string text;
  for (unsigned i = length; i-- > 0;) {
    const char32_t bits = code >> (6 * i);
    const char32_t lead = 0xF00U >> length & 0xFF;
    text += static_cast<char>(i + 1 == length ? lead | bits : 0x80 | (bits & 0x3F));
  }
  return text;
}

TEST(Utf8, NoCodePointInALongerFormAndNoNumberThatIsNone) {
  for (char32_t code = 0; code < 0x200000; ++code) {
    const unsigned shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const bool is_one = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    for (unsigned length = 2; length <= 4; ++length) {
      if (length < shortest) continue;
      ASSERT_EQ(!first_invalid_utf8(in_bytes(code, length)), is_one && length == shortest)
          << code_point_name(code) << " in " << length << " bytes";
    }
  }
}

TEST(Utf8, FindsTheFirstByteThatIsNoCharacter) {
  EXPECT_EQ(first_invalid_utf8("a静🙂"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("a静\xFF\xFF"), 4u);
  EXPECT_EQ(first_invalid_utf8("静\xE9\x9D"), 3u) << "cut off";
}

}  // namespace
}  // namespace gradwalk::nn
