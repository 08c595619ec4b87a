// Reading: every rule of the format, and the outside cases of data/formats/safetensors.

#include "nn/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "nn/checkpoint/files.h"
#include "support.h"
#include "tensor/create.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  if (value == "nan") return std::nan("");
  if (value == "-0") return -0.0;
  EXPECT_TRUE(value == "inf" || value == "-inf") << value;
  return value == "inf" ? kInfinity : -kInfinity;
}

void expect_values(const Tensor& x, const json& want) {
  const std::vector<double> got = x.to_vector();
  const json& listed = want.contains("values") ? want["values"] : want["first"];
  if (want.contains("values")) {
    ASSERT_EQ(got.size(), listed.size());
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const double value = number(listed[i]);
    EXPECT_TRUE(got[i] == value || (std::isnan(got[i]) && std::isnan(value))) << i;
    EXPECT_EQ(std::signbit(got[i]), std::signbit(value)) << i;
  }
  if (want.contains("sum")) {
    // Added by the one who listed it in another order: n roundings of at most the sum of sizes.
    const double sum = std::accumulate(got.begin(), got.end(), 0.0);
    EXPECT_NEAR(sum, want["sum"].get<double>(), 1e-12 * static_cast<double>(got.size()));
  }
}

const std::map<std::string, DType> kDTypes = {{"F32", DType::kFloat32},  {"F16", DType::kFloat32},
                                              {"BF16", DType::kFloat32}, {"F64", DType::kFloat64},
                                              {"BOOL", DType::kBool},    {"I64", DType::kInt64},
                                              {"I32", DType::kInt64},    {"I16", DType::kInt64},
                                              {"I8", DType::kInt64},     {"U8", DType::kInt64}};

TEST(Safetensors, ValidFilesOfOthersHaveTheListedValues) {
  const json cases = test::data_json("formats/safetensors/cases.json");
  GRADWALK_SKIP_WITHOUT_DATA(cases);
  int loaded = 0;
  int refused = 0;
  for (const json& one : cases.at("valid")) {
    SCOPED_TRACE(one.at("file").get<std::string>());
    const Safetensors file(test::data("formats/safetensors/" + one["file"].get<std::string>()));
    EXPECT_EQ(json(file.metadata()), one["metadata"]);
    EXPECT_EQ(file.entries().size(), one["tensors"].size());
    for (const auto& [name, want] : one["tensors"].items()) {
      SCOPED_TRACE(name);
      const SafetensorsEntry* entry = file.find(name);
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(entry->dtype, want["dtype"].get<std::string>());
      EXPECT_EQ(json(entry->shape), want["shape"]);
      const auto dtype = kDTypes.find(want["dtype"]);
      if (dtype == kDTypes.end()) {
        EXPECT_THAT(test::error_of([&] { file.load(name); }),
                    AllOf(HasSubstr(want["dtype"].get<std::string>() + ", which is not supported"),
                          HasSubstr(name), HasSubstr(file.path())));
        ++refused;
        continue;
      }
      const Tensor x = file.load(name);
      EXPECT_EQ(x.dtype(), dtype->second);
      EXPECT_EQ(x.numel(), std::accumulate(entry->shape.begin(), entry->shape.end(),
                                           std::int64_t{1}, [](std::int64_t a, std::uint64_t b) {
                                             return a * static_cast<std::int64_t>(b);
                                           }));
      if (want["dtype"] == "I64" && want.contains("values")) {
        for (std::size_t i = 0; i < want["values"].size(); ++i) {  // past what a double holds
          EXPECT_EQ(x.data<std::int64_t>()[i], want["values"][i].get<std::int64_t>());
        }
      }
      expect_values(x, want);
      ++loaded;
    }
  }
  EXPECT_EQ(refused, 2);  // F4 and C64
  EXPECT_GT(loaded, 30);
}

struct Broken {
  std::string rule, tensor;  // what the message must name; no tensor where the header is at fault
};

const std::map<std::string, Broken> kBroken = {
    {"extra_bytes_at_end", {"data that the tensors cover exactly", "test"}},
    {"data_two_bytes_short", {"data that the tensors cover exactly", "test"}},
    {"header_length_huge", {"a header length of at most 100000000", ""}},
    {"empty_file", {"at least 8 bytes, got 0", ""}},
    {"header_missing", {"a header that ends inside the file", ""}},
    {"header_not_utf8", {"a header in UTF-8", ""}},
    {"header_not_json", {"one JSON object", ""}},
    {"shape_disagrees_with_offsets", {"end - begin = element count times element size", "test"}},
    {"shape_product_overflows", {"an element count that fits 64 bits", "test"}},
    {"byte_size_overflows", {"element count times element size that fits 64 bits", "test"}},
    {"overlapping_tensors", {"tensors that share no bytes", "weight_1"}},
    {"header_length_past_end", {"a header that ends inside the file", ""}},
    {"hole_between_tensors", {"no gap between tensors", "b"}},
    {"first_tensor_not_at_zero", {"the first tensor to start at 0", "a"}},
    {"end_before_begin", {"data_offsets whose end is not below the begin", "b"}},
    {"negative_offset", {"data_offsets of two unsigned integers", "a"}},
    {"float_in_shape", {"a shape of unsigned integers", "a"}},
    {"unknown_dtype", {"a dtype that the format knows", "a"}},
    {"lower_case_dtype", {"a dtype that the format knows, in upper case", "a"}},
    {"missing_dtype", {"dtype, shape and data_offsets, got no dtype", "a"}},
    {"missing_offsets", {"dtype, shape and data_offsets, got no data_offsets", "a"}},
    {"three_offsets", {"data_offsets of two unsigned integers", "a"}},
    {"metadata_value_not_string", {"__metadata__ that maps strings to strings", ""}},
    {"header_is_array", {"one JSON object", ""}},
    {"header_length_zero", {"one JSON object", ""}},
    {"header_trailing_garbage", {"with white space alone around it", ""}},
    {"seven_byte_file", {"at least 8 bytes, got 7", ""}},
    {"misaligned_fp4", {"elements that fill whole bytes", "a"}},
    {"zero_sized_tensor_with_bytes", {"end - begin = element count times element size", "a"}},
    {"deeply_nested_header", {"one JSON object", "a"}},
};

TEST(Safetensors, InvalidFilesOfOthersNameTheRuleTheTensorAndTheFile) {
  const json cases = test::data_json("formats/safetensors/cases.json");
  GRADWALK_SKIP_WITHOUT_DATA(cases);
  EXPECT_EQ(cases.at("invalid").size(), kBroken.size());
  for (const json& one : cases.at("invalid")) {
    const auto path = test::data("formats/safetensors/" + one.at("file").get<std::string>());
    SCOPED_TRACE(path.stem().string());
    const auto want = kBroken.find(path.stem().string());
    ASSERT_NE(want, kBroken.end());
    const std::string tensor =
        want->second.tensor.empty() ? "; in " : "; tensor \"" + want->second.tensor + "\" in ";
    EXPECT_THAT(test::error_of([&] { const Safetensors file(path); }),
                AllOf(HasSubstr("safetensors: expected "), HasSubstr(want->second.rule),
                      HasSubstr(tensor + path.string())));
  }
}

// The written rules forbid it, the reference reader takes the last one: we refuse.
TEST(Safetensors, ANameThatStandsTwiceIsAnError) {
  if (const json cases = test::data_json("formats/safetensors/cases.json"); !cases.is_null()) {
    for (const json& one : cases.at("either")) {
      const auto path = test::data("formats/safetensors/" + one.at("file").get<std::string>());
      EXPECT_THAT(test::error_of([&] { const Safetensors file(path); }),
                  HasSubstr("each name once"));
    }
  }
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

// BR-40: damaged files.
TEST(Safetensors, Br40DamagedFilesGiveAClearError) {
  const json report = gradwalk::test::bug_report("BR-40");
  GRADWALK_SKIP_WITHOUT(report);
  test::Folder folder;
  const auto path = folder / "w.safetensors";
  test::write(path, test::from_hex(report["inputs"]["good_file_hex"].get<std::string>()));
  EXPECT_EQ(Safetensors(path).load("w").to_vector(), (std::vector<double>{1, -2}));
  EXPECT_EQ(report["inputs"]["bad_files_hex"].size(), 10U);
  for (const auto& [fault, hex] : report["inputs"]["bad_files_hex"].items()) {
    test::write(path, test::from_hex(hex.get<std::string>()));
    EXPECT_THAT(test::error_of([&] { const Safetensors file(path); }),
                AllOf(HasSubstr("safetensors: expected "), HasSubstr(path)))
        << fault;
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
              AllOf(HasSubstr("No such file"), HasSubstr("none.safetensors")));
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

class Pieces : public testing::Test {
 protected:
  void SetUp() override {
    save_safetensors(folder_ / "one.safetensors", {{"a", zeros({2})}, {"b", ones({1})}},
                     {{"format", "pt"}});
    save_safetensors(folder_ / "two.safetensors", {{"c", ones({3})}, {"b", zeros({1})}});
  }
  std::string error_with(std::string_view index) {
    test::write(folder_ / "model.safetensors.index.json", index);
    return test::error_of(
        [&] { const Safetensors file(folder_ / "model.safetensors.index.json"); });
  }

  test::Folder folder_;
};

TEST_F(Pieces, AnIndexSaysWhichFileHasATensor) {
  test::write(
      folder_ / "model.safetensors.index.json",
      R"({"metadata":{"total_size":24},"weight_map":{"a":"one.safetensors","c":"two.safetensors","b":"one.safetensors"}})");
  const Safetensors file(folder_ / "model.safetensors.index.json");
  EXPECT_EQ(file.entries().size(), 3U);
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.load("a").to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(file.load("b").to_vector(), (std::vector<double>{1}));
  EXPECT_EQ(file.load("c").to_vector(), (std::vector<double>{1, 1, 1}));
}

TEST_F(Pieces, AnIndexThatIsWrong) {
  EXPECT_THAT(error_with("{"), HasSubstr("expected JSON"));
  EXPECT_THAT(error_with("[]"), HasSubstr("expected an object, got array"));
  EXPECT_THAT(error_with("{}"), HasSubstr("an index with an object weight_map"));
  EXPECT_THAT(
      error_with(R"({"weight_map":{"d":"one.safetensors"}})"),
      HasSubstr("a tensor in \"one.safetensors\", as the index says, got none; tensor \"d\""));
  EXPECT_THAT(error_with(R"({"weight_map":{"a":"three.safetensors"}})"), HasSubstr("No such file"));
  for (const char* file : {"\"../one.safetensors\"", "\"/etc/one.safetensors\"", "\"\"", "7",
                           "\"one.bin\"", "\"one\\u0000.safetensors\""}) {
    EXPECT_THAT(error_with(std::string(R"({"weight_map":{"a":)") + file + "}}"),
                AllOf(HasSubstr("a .safetensors file of the index's own folder"),
                      HasSubstr("tensor \"a\"")));
  }
}

}  // namespace
}  // namespace gradwalk::nn
