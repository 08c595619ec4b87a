// Reading the files of others: data/formats/safetensors, and damaged ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/safetensors.h"
#include "support.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

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
    for (const auto& item : one["tensors"].items()) {
      const std::string& name = item.key();
      const json& want = item.value();
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
                AllOf(StartsWith("Safetensors: expected "), HasSubstr(want->second.rule),
                      HasSubstr(tensor + path.string())));
  }
}

// The written rules forbid a name that stands twice, the reference reader takes the last one: we
// refuse.
TEST(Safetensors, FilesOfOthersThatReadersMayRefuse) {
  const json cases = test::data_json("formats/safetensors/cases.json");
  GRADWALK_SKIP_WITHOUT_DATA(cases);
  for (const json& one : cases.at("either")) {
    const auto path = test::data("formats/safetensors/" + one.at("file").get<std::string>());
    EXPECT_THAT(test::error_of([&] { const Safetensors file(path); }), HasSubstr("each name once"));
  }
}

// Lengths and offsets of a damaged file were believed, and led past its end; a header length near
// 2^64 even passed the check once 8 was added to it. (BR-40)
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
                AllOf(StartsWith("Safetensors: expected "), HasSubstr(path)))
        << fault;
  }
}

}  // namespace
}  // namespace gradwalk::nn
