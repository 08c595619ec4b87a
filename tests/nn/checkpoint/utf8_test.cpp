#include "nn/checkpoint/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace gradwalk::nn {
namespace {

// The bits of a code point in `length` bytes, whether or not that is a proper form of it.
std::string in_bytes(std::uint32_t point, int length) {
  if (length == 1) return {static_cast<char>(point)};
  std::string bytes;
  const std::uint32_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (int i = length - 1; i >= 0; --i) {
    const std::uint32_t bits = point >> (6 * i);
    bytes += static_cast<char>(i == length - 1 ? marks[length] | bits : 0x80 | (bits & 0x3F));
  }
  return bytes;
}

int shortest(std::uint32_t point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

TEST(Utf8, EveryCodePointInItsShortestFormAndNoOther) {
  for (std::uint32_t point = 0; point < 0x200000; ++point) {
    const bool is_point = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    ASSERT_EQ(!first_invalid_utf8(in_bytes(point, shortest(point))), is_point) << point;
    for (int length = shortest(point) + 1; length <= 4; ++length) {
      ASSERT_EQ(first_invalid_utf8(in_bytes(point, length)), 0U) << point << " in " << length;
    }
  }
}

TEST(Utf8, SaysWhereTheFirstFaultIs) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("aé权🙂z"), std::nullopt);
  for (const char* cut : {"\x80", "\xC3", "\xC3(", "\xE6\x9D", "\xE6\x9D(", "\xF0\x9F\x99",
                          "\xF0\x9F\x99(", "\xF8\x88\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(first_invalid_utf8(std::string("é") + cut), 2U) << cut;
  }
}

}  // namespace
}  // namespace gradwalk::nn
