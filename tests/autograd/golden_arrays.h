#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tensor/create.h"

namespace gradwalk::test {

/// The arrays of a file in data/goldens/ of the folder GRADWALK_TEST_DATA, by name; none when it is
/// not there. Just enough of the safetensors format for these files: 8 bytes with the length of the
/// header, the header as JSON, then F32 and BOOL values, little-endian.
inline std::map<std::string, Tensor> golden_arrays(const std::string& file_name) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream file(GRADWALK_TEST_DATA "/data/goldens/" + file_name, std::ios::binary);
  if (!file) return {};
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::map<std::string, Tensor> arrays;
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto sizes = entry.at("shape").get<std::vector<std::int64_t>>();
    const auto begin = 8 + length + entry.at("data_offsets").at(0).get<std::uint64_t>();
    const bool is_bool = entry.at("dtype") == "BOOL";
    if (!is_bool && entry.at("dtype") != "F32") throw std::runtime_error("dtype of " + name);
    const Shape shape{std::span<const std::int64_t>(sizes)};
    std::vector<double> values;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(shape.numel()); ++i) {
      float value = 0;
      if (is_bool) {
        value = bytes.at(begin + i) != 0 ? 1 : 0;
      } else {
        std::memcpy(&value, bytes.substr(begin + i * sizeof value, sizeof value).data(),
                    sizeof value);
      }
      values.push_back(static_cast<double>(value));
    }
    arrays[name] = from_vector(values, shape, is_bool ? DType::kBool : DType::kFloat32);
  }
  return arrays;
}

}  // namespace gradwalk::test

/// Skips a test, and says so, where the folder with the golden arrays is absent.
#define GRADWALK_SKIP_WITHOUT_ARRAYS(arrays) \
  if ((arrays).empty()) GTEST_SKIP() << "no data/goldens in " GRADWALK_TEST_DATA
