#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// What tests of checkpoints share.
namespace gradwalk::nn::test {

/// A folder of its own, gone at the end of the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& path, std::string_view bytes);
std::string read(const std::filesystem::path& path);
std::string from_hex(std::string_view digits);
/// A safetensors file: the length of the header, the header, the data.
std::string safetensors_bytes(std::string_view header, std::string_view data = "");

/// A file or folder of data/ in GRADWALK_TEST_DATA.
std::filesystem::path data(std::string_view name);
/// A JSON file there; null if it is not there.
nlohmann::json data_json(std::string_view name);

/// The message of the std::runtime_error that `f` throws; "" and a failed check for anything else.
std::string error_of(const std::function<void()>& f);

}  // namespace gradwalk::nn::test

/// Skips a test, and says so, where the folder with the outside data is absent.
#define GRADWALK_SKIP_WITHOUT_DATA(json) \
  if ((json).is_null()) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA
