#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "nn/files/json.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {

/// A header's entry before its numbers are held to each other.
struct RawEntry {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::array<std::uint64_t, 2> offsets{};
};

/// Collects a safetensors header as it is parsed. It keeps no tree: a header of brackets alone
/// needs no stack, and a name that stands twice is seen.
/// @throws std::runtime_error where the header breaks a rule of form
class SafetensorsSax : public JsonEvents {
 public:
  explicit SafetensorsSax(const Where& where) : where_(where) {}

  std::vector<RawEntry> tensors;
  std::map<std::string, std::string> metadata;

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a bool"); }
  bool number_integer(std::int64_t value) override;
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double, const std::string& text) override { return scalar(text); }
  bool string(std::string& value) override;
  bool binary(std::vector<std::uint8_t>&) override { return scalar("binary"); }
  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& last,
                   const std::exception& error) override;

 private:
  // What the next value belongs to.
  enum class In { kFile, kHeader, kMetadata, kEntry, kShape, kOffsets };

  bool scalar(std::string_view got);
  [[noreturn]] void refuse(std::string_view got) const;
  std::string_view expected() const;
  std::string_view tensor() const;

  const Where& where_;
  In in_ = In::kFile;
  std::string name_;  // the last key of the header
  std::string key_;   // the last key of an entry or the metadata
  std::unordered_set<std::string> names_, keys_;
  std::size_t offsets_ = 0;
  std::size_t ignored_depth_ = 0;  // inside a member of an entry that the format does not know
};

}  // namespace gradwalk::nn
