#include "nn/checkpoint/files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace gradwalk::nn::test {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "gradwalk-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string safetensors_bytes(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes.append(header).append(data);
}

std::filesystem::path data(std::string_view name) {
  return std::filesystem::path(GRADWALK_TEST_DATA) / "data" / name;
}

nlohmann::json data_json(std::string_view name) {
  std::ifstream file(data(name));
  return file ? nlohmann::json::parse(file) : nlohmann::json(nullptr);
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

}  // namespace gradwalk::nn::test
