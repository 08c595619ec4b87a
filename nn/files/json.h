#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

/// All that reads and writes JSON: its parser and its printer take seconds to compile, so they are
/// in json.cpp alone. Other files handle the values only.
namespace gradwalk::nn {

/// A JSON file of at most `longest` bytes and 64 levels whose top is an object. A key stands once
/// in its object: with two it would be a matter of the reader which one counts.
/// @param op  the function that errors name
/// @throws std::runtime_error that names the file and the place of the fault
nlohmann::json read_json_object(const char* op, const std::filesystem::path& path,
                                std::size_t longest = 1 << 26);

/// Any JSON text. @throws std::runtime_error "no JSON: ...", with the place of the fault
nlohmann::json parse_json(std::string_view text);

/// What stands in a JSON text, in its order. Each function says whether to go on; a fault of form
/// ends in parse_error.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual bool null() = 0;
  virtual bool boolean(bool value) = 0;
  virtual bool number_integer(std::int64_t value) = 0;  ///< below 0
  virtual bool number_unsigned(std::uint64_t value) = 0;
  virtual bool number_float(double value, const std::string& text) = 0;
  virtual bool string(std::string& value) = 0;
  virtual bool binary(std::vector<std::uint8_t>& value) = 0;  ///< not in a text
  virtual bool start_object(std::size_t size) = 0;
  virtual bool key(std::string& name) = 0;
  virtual bool end_object() = 0;
  virtual bool start_array(std::size_t size) = 0;
  virtual bool end_array() = 0;
  virtual bool parse_error(std::size_t position, const std::string& last,
                           const std::exception& error) = 0;
};
/// Keeps no tree. @return  whether all of the text was read
bool parse_json(std::string_view text, JsonEvents& events);

/// On one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value);
/// On many lines, members in their order. @throws std::exception for strings that are not UTF-8
std::string json_text(const nlohmann::ordered_json& value, int indent);
/// A text in quotes, as JSON has it. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// The same, cut to some 80 bytes: names come from a file and may hold anything.
std::string shown_json(std::string_view text);

}  // namespace gradwalk::nn
