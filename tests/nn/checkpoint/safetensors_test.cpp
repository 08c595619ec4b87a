// Reading: rules at their edges, and values.

#include "nn/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "nn/checkpoint/files.h"

namespace gradwalk::nn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Safetensors, ANameThatStandsTwiceIsAnError) {
  test::Folder folder;
  for (
      const char* header :
      {R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       R"({"w":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
       R"({"__metadata__":{"a":"1","a":"2"},"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})"}) {
    test::write(folder / "twice.safetensors", test::safetensors_bytes(header, "ab"));
    EXPECT_THAT(test::error_of([&] { const Safetensors file(folder / "twice.safetensors"); }),
                HasSubstr("each name once"))
        << header;
  }
}

std::string error_with(std::string_view header, std::string_view data) {
  test::Folder folder;
  test::write(folder / "x.safetensors", test::safetensors_bytes(header, data));
  return test::error_of([&] {
    const Safetensors file(folder / "x.safetensors");
    file.load("w");
  });
}

// What the JSON library alone would let pass.
TEST(Safetensors, AZeroByteIsNoEndAndAByteOrderMarkNoWhiteSpace) {
  const std::string entry = R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  EXPECT_THAT(error_with(entry + '\0' + "}{", "a"), HasSubstr("one JSON object"));
  EXPECT_THAT(error_with("\xEF\xBB\xBF" + entry, "a"), HasSubstr("one JSON object"));
  EXPECT_THAT(error_with("{\"\xC0\xAF\":1}", ""),
              HasSubstr("in UTF-8, got a byte that is not at 2"));
}

TEST(Safetensors, NumbersThatAreNoUnsigned64BitIntegersAreRefused) {
  for (const char* size :
       {"-1", "1.0", "1e0", "18446744073709551616", "\"1\"", "null", "true", "[1]", "{}"}) {
    EXPECT_THAT(error_with(std::string(R"({"w":{"dtype":"U8","shape":[)") + size +
                               R"(],"data_offsets":[0,1]}})",
                           "a"),
                HasSubstr("a shape of unsigned integers"))
        << size;
  }
  EXPECT_THAT(error_with(R"({"w":{"dtype":"U8","shape":[1e999],"data_offsets":[0,1]}})", "a"),
              HasSubstr("tensor \"w\""));
}

TEST(Safetensors, MembersThatTheFormatDoesNotKnowAreLeftOut) {
  test::Folder folder;
  test::write(
      folder / "x.safetensors",
      test::safetensors_bytes(R"({"w":{"more":{"a":[1,{"dtype":"F4"}],"shape":[7]},"dtype":"U8",
                                          "less":[[{}]],"none":null,"shape":[2],"data_offsets":[0,2]}})",
                              "ab"));
  EXPECT_EQ(Safetensors(folder / "x.safetensors").load("w").to_vector(),
            (std::vector<double>{97, 98}));
}

TEST(Safetensors, WhatATensorCannotHoldIsRefusedWhenItIsLoaded) {
  EXPECT_THAT(error_with(R"({"w":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}})",
                         std::string(8, '\xFF')),
              HasSubstr("U64 values that fit 63 bits, got 18446744073709551615; tensor \"w\""));
  EXPECT_THAT(
      error_with(R"({"w":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", "a"),
      HasSubstr("at most 8 axes, got 9; tensor \"w\""));
  // Nothing to store, so the rules let it pass.
  EXPECT_THAT(
      error_with(R"({"w":{"dtype":"U8","shape":[0,9223372036854775808],"data_offsets":[0,0]}})",
                 ""),
      HasSubstr("sizes that fit 63 bits"));
  for (const char* type : {"F8_E5M2", "F8_E4M3", "F8_E8M0"}) {
    EXPECT_THAT(error_with(std::string(R"({"w":{"dtype":")") + type +
                               R"(","shape":[1],"data_offsets":[0,1]}})",
                           "a"),
                HasSubstr(std::string(type) + ", which is not supported"));
  }
  EXPECT_THAT(error_with(R"({"w":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}})", "abc"),
              HasSubstr("F6_E2M3, which is not supported"));
}

TEST(Safetensors, UnsignedIntegersAndAnyByteOfABool) {
  test::Folder folder;
  const auto path = folder / "x.safetensors";
  test::write(path,
              test::safetensors_bytes(R"({"u64":{"dtype":"U64","shape":[],"data_offsets":[0,8]},
                                          "u32":{"dtype":"U32","shape":[1],"data_offsets":[8,12]},
                                          "u16":{"dtype":"U16","shape":[1],"data_offsets":[12,14]},
                                          "bool":{"dtype":"BOOL","shape":[3],"data_offsets":[14,17]}})",
                                      test::from_hex("ffffffffffffff7f"
                                                     "ffffffff"
                                                     "ffff"
                                                     "0002ff")));
  const Safetensors file(path);
  EXPECT_EQ(file.load("u64").data<std::int64_t>()[0], INT64_MAX);
  EXPECT_EQ(file.load("u32").item(), 4294967295.0);
  EXPECT_EQ(file.load("u16").item(), 65535);
  EXPECT_EQ(file.load("bool").to_vector(), (std::vector<double>{0, 1, 1}));
}

// Every 16-bit float against the definition: (-1)^s 2^(e - bias) (1 + f), or without the 1 for e =
// 0.
TEST(Safetensors, Every16BitFloat) {
  std::string bytes;
  for (int i = 0; i < 65536; ++i) {
    bytes += static_cast<char>(i & 255);
    bytes += static_cast<char>(i >> 8);
  }
  test::Folder folder;
  test::write(
      folder / "x.safetensors",
      test::safetensors_bytes(R"({"f":{"dtype":"F16","shape":[65536],"data_offsets":[0,131072]},
                                          "b":{"dtype":"BF16","shape":[65536],"data_offsets":[131072,262144]}})",
                              bytes + bytes));
  const Safetensors file(folder / "x.safetensors");
  const auto check = [&](const char* name, int fraction_bits, int exponent_bits) {
    const std::vector<double> got = file.load(name).to_vector();
    const int top = (1 << exponent_bits) - 1;
    for (int i = 0; i < 65536; ++i) {
      const int fraction = i & ((1 << fraction_bits) - 1);
      const int exponent = (i >> fraction_bits) & top;
      const double value = got[static_cast<std::size_t>(i)];
      ASSERT_EQ(std::signbit(value), i >= 32768) << name << ' ' << i;
      if (exponent == top) {
        ASSERT_TRUE(fraction == 0 ? std::isinf(value) : std::isnan(value)) << name << ' ' << i;
        continue;
      }
      const double size = std::ldexp(fraction + (exponent > 0 ? 1 << fraction_bits : 0),
                                     std::max(exponent, 1) - top / 2 - fraction_bits);
      ASSERT_EQ(std::abs(value), size) << name << ' ' << i;
    }
  };
  check("f", 10, 5);
  check("b", 7, 8);
}

TEST(Safetensors, AFileThatIsNotThereAndAFolder) {
  test::Folder folder;
  EXPECT_THAT(test::error_of([&] { const Safetensors file(folder / "none.safetensors"); }),
              AllOf(StartsWith("Safetensors: expected a file to read, got No such file"),
                    HasSubstr("none.safetensors")));
  EXPECT_THAT(test::error_of([&] { const Safetensors file(folder.path()); }),
              HasSubstr("no regular file"));
}

TEST(Safetensors, AHeaderIsReadWithoutTheData) {
  test::Folder folder;
  const std::string one(4, '\0');
  test::write(folder / "x.safetensors",
              test::safetensors_bytes(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                                          "a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                      one + one));
  const Safetensors file(folder / "x.safetensors");
  ASSERT_EQ(file.entries().size(), 2U);
  EXPECT_EQ(file.entries()[0].name, "b");
  EXPECT_EQ(file.entries()[1].name, "a");
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_THAT(test::error_of([&] { file.load("c"); }),
              HasSubstr("a tensor of this name, got none; tensor \"c\""));
}

// Names come from the file: one of a megabyte, or with line breaks, must not become the message.
TEST(Safetensors, AMessageShowsAStrangeNameEscapedAndCut) {
  const std::string error = error_with("{\"a\\n" + std::string(1000000, 'x') +
                                           R"(":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})",
                                       "");
  EXPECT_THAT(error, AllOf(HasSubstr("tensor \"a\\nxxx"), Not(HasSubstr("\n"))));
  EXPECT_LT(error.size(), 400U);
}

}  // namespace
}  // namespace gradwalk::nn
