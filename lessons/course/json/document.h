#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gradwalk::course {

/// The first field of every document that is written.
inline constexpr int kSchema = 1;

/// @throws std::exception that says what is wrong, also with a document of another schema
nlohmann::ordered_json parse_document(std::string_view text);

/// The library's own message, without its number in front.
std::string json_reason(const std::exception& error);

}  // namespace gradwalk::course
