#include "lessons/course/text/parse.h"

#include <charconv>
#include <cmath>

namespace gradwalk::course {
namespace {

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  return parse_all<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace gradwalk::course
