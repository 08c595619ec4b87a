#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

std::string trimmed(std::string_view text);

/// The parts between separators; "a,,b" has three.
std::vector<std::string> split(std::string_view text, char separator);

/// A whole number that is all of the text, no sign but '-'.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// A finite number that is all of the text.
std::optional<double> parse_number(std::string_view text);

}  // namespace gradwalk::course
